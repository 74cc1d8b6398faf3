package org.shardplan.cost;

/**
 * Tile and wave quantisation: a product's result is cut into tiles, which the multiprocessors take in waves; a last wave
 * that is not full costs as much as a full one. (NVIDIA, "Matrix Multiplication Background User's Guide", sections 3 and 4.)
 */
final class Tiles {
    /** Rows, columns and relative speed of the tiles that a library picks from: small tiles reuse less. */
    private static final int[] ROWS = {256, 128, 128, 128, 64};

    private static final int[] COLUMNS = {128, 256, 128, 64, 64};
    private static final double[] SPEED = {1, 1, 0.93, 0.8, 0.6};

    private Tiles() {}

    /**
     * Result elements that the busiest multiprocessor computes, over the speed of the tile; the best choice of tile. Times
     * 2k over one multiprocessor's FLOP/s it is the time of the product.
     */
    static double area(long m, long n, int multiprocessors) {
        double best = Double.POSITIVE_INFINITY;
        for (int i = 0; i < ROWS.length; i++) {
            double tiles = Math.ceil((double) m / ROWS[i]) * Math.ceil((double) n / COLUMNS[i]);
            double waves = Math.ceil(tiles / multiprocessors);
            best = Math.min(best, waves * ROWS[i] * COLUMNS[i] / SPEED[i]);
        }
        return best;
    }
}
