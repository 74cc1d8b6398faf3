package org.shardplan.cost;

/**
 * Measured matrix products of one device and precision: FLOP/s on a grid of m, n, k, told between grid points by linear
 * interpolation of the logarithms (leave-one-out error: median 1.5 to 3.4 %, 90th percentile 4 to 11 %), beyond the grid
 * by counting tiles. Immutable.
 */
public final class ProductTable {
    private final double peakFlops;
    private final long[] m;
    private final long[] n;
    private final long[] k;
    private final double[] logM;
    private final double[] logN;
    private final double[] logK;
    private final float[] logFlops;
    private final double mostFlops;
    private final String source;

    /** @param logFlops natural logarithm of FLOP/s, k fastest, then n, then m */
    ProductTable(double peakFlops, long[] m, long[] n, long[] k, float[] logFlops, String source) {
        this.peakFlops = peakFlops;
        this.m = m;
        this.n = n;
        this.k = k;
        this.logM = logs(m);
        this.logN = logs(n);
        this.logK = logs(k);
        this.logFlops = logFlops;
        float most = logFlops[0];
        for (float cell : logFlops) {
            most = Math.max(most, cell);
        }
        this.mostFlops = Math.exp(most);
        this.source = source;
    }

    /** The dense peak that the device was counted with, FLOP/s. */
    public double peakFlops() {
        return peakFlops;
    }

    public String source() {
        return source;
    }

    /**
     * No product runs faster than this, FLOP/s: the highest rate under {@code sustained}, with 15 % for shapes beyond the grid that
     * fill their tiles better than those at its edge.
     */
    double highestFlops(double sustained) {
        double highest = 0;
        for (double busy = 0.01; busy <= 1; busy += 0.01) {
            highest = Math.max(highest, busy * (1 - (1 - sustained) * busy * Math.sqrt(busy)));
        }
        return 1.15 * highest * mostFlops;
    }

    /**
     * Time of an m × k by k × n product.
     *
     * <p>Power holds the clock down over a training step, the more the busier the chip is: the rate is the table's times
     * 1 − (1 − sustained) · u^1.5, where u is the table's rate over its highest one. (SimuMax's training-like tables over
     * these: A100 PCIe 0.90 at u = 0.75, 0.81 at 1; B200 0.81 at 0.83, 0.70 at 1.)
     *
     * @param multiprocessors that share the tiles, for shapes beyond the grid
     * @param sustained rate of the fastest products over a training step as a share of the table's; 1 = the table itself
     */
    public double seconds(long rows, long columns, long depth, int multiprocessors, double sustained) {
        long a = rows;
        long b = columns;
        // the transposed product takes the same time (median 2 to 5 %); narrow precisions quantise one side only
        if (a < m[0] && b > a && n[0] < m[0]) {
            a = columns;
            b = rows;
        }
        long insideM = Math.clamp(a, m[0], m[m.length - 1]);
        long insideN = Math.clamp(b, n[0], n[n.length - 1]);
        long insideK = Math.clamp(depth, k[0], k[k.length - 1]);
        double flops = flops(insideM, insideN, insideK);
        double busy = flops / mostFlops;
        double seconds = 2.0 * insideM * insideN * insideK / (flops * (1 - (1 - sustained) * busy * Math.sqrt(busy)));
        if (insideM != a || insideN != b) {
            seconds *= Tiles.area(a, b, multiprocessors) / Tiles.area(insideM, insideN, multiprocessors);
        }
        if (depth > insideK) {
            seconds *= (double) depth / insideK;
        } else if (depth < insideK) {
            seconds *= 0.5 + 0.5 * depth / insideK;
        }
        return seconds;
    }

    /** FLOP/s within the grid. */
    private double flops(long insideM, long insideN, long insideK) {
        double x = Math.log(insideM);
        double y = Math.log(insideN);
        double z = Math.log(insideK);
        int i = below(m, insideM);
        int j = below(n, insideN);
        int l = below(k, insideK);
        double u = (x - logM[i]) / (logM[i + 1] - logM[i]);
        double v = (y - logN[j]) / (logN[j + 1] - logN[j]);
        double w = (z - logK[l]) / (logK[l + 1] - logK[l]);
        double near = alongNK(i, j, l, v, w);
        return Math.exp(near + u * (alongNK(i + 1, j, l, v, w) - near));
    }

    private double alongNK(int i, int j, int l, double v, double w) {
        int at = (i * n.length + j) * k.length + l;
        double near = logFlops[at] + w * (logFlops[at + 1] - logFlops[at]);
        int next = at + k.length;
        double far = logFlops[next] + w * (logFlops[next + 1] - logFlops[next]);
        return near + v * (far - near);
    }

    /** The last tick at or below the value that has one above it. */
    private static int below(long[] ticks, long value) {
        int i = 0;
        while (i < ticks.length - 2 && ticks[i + 1] <= value) {
            i++;
        }
        return i;
    }

    private static double[] logs(long[] values) {
        double[] logs = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            logs[i] = Math.log(values[i]);
        }
        return logs;
    }
}
