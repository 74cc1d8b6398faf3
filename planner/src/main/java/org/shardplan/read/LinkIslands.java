package org.shardplan.read;

import java.util.List;

/** Which GPUs NVLinks join, from the number of links between each two. */
final class LinkIslands {
    private final int[][] links;

    LinkIslands(int[][] links) {
        this.links = links;
    }

    /** GPUs of each island; 1 where there are no links, or where the islands are of unlike size, which is remarked. */
    int size(List<String> remarks) {
        int gpus = links.length;
        int[] island = new int[gpus];
        int[] sizes = new int[gpus];
        boolean consecutive = true;
        for (int gpu = 0; gpu < gpus; gpu++) {
            island[gpu] = first(gpu, new boolean[gpus]);
            sizes[island[gpu]]++;
            consecutive &= gpu == 0 || island[gpu] >= island[gpu - 1];
        }
        int size = sizes[0];
        for (int gpu = 0; gpu < gpus; gpu++) {
            if (sizes[island[gpu]] != size) {
                remarks.add("NVLinks join unlike numbers of GPUs: they are left out, and PCIe joins all");
                return 1;
            }
        }
        if (!consecutive) {
            remarks.add("GPUs that NVLinks join are not numbered one after another; ranks should be");
        }
        return size;
    }

    /** The lowest number that can be reached. */
    private int first(int gpu, boolean[] seen) {
        seen[gpu] = true;
        int lowest = gpu;
        for (int peer = 0; peer < links.length; peer++) {
            if (links[gpu][peer] > 0 && !seen[peer]) {
                lowest = Math.min(lowest, first(peer, seen));
            }
        }
        return lowest;
    }

    /** Fewest links between two GPUs that are joined; 0 = none. */
    int pairLinks() {
        int least = Integer.MAX_VALUE;
        for (int[] row : links) {
            for (int count : row) {
                least = count > 0 ? Math.min(least, count) : least;
            }
        }
        return least == Integer.MAX_VALUE ? 0 : least;
    }

    /** Fewest links of one GPU, summed over its peers. */
    int sumLinks() {
        int least = Integer.MAX_VALUE;
        for (int[] row : links) {
            int sum = 0;
            for (int count : row) {
                sum += count;
            }
            least = Math.min(least, sum);
        }
        return least;
    }
}
