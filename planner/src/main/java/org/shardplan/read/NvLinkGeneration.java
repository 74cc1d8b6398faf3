package org.shardplan.read;

import java.util.Optional;

/**
 * NVLink by device family. Rates of one link, one way, and links of one GPU at most, from NVIDIA's data sheets and architecture
 * white papers, whose totals count both ways: V100 300 GB/s over 6 links, A100 600 GB/s over 12, H100 900 GB/s over 18, B200
 * 1,800 GB/s over 18.
 */
public enum NvLinkGeneration {
    VOLTA(6, 25e9, "NVIDIA V100: 300 GB/s both ways over 6 links"),
    AMPERE(12, 25e9, "NVIDIA A100: 600 GB/s both ways over 12 links"),
    HOPPER(18, 25e9, "NVIDIA H100: 900 GB/s both ways over 18 links"),
    BLACKWELL(18, 50e9, "NVIDIA B200: 1,800 GB/s both ways over 18 links");

    private final int links;
    private final double linkBytesPerSecond;
    private final String source;

    NvLinkGeneration(int links, double linkBytesPerSecond, String source) {
        this.links = links;
        this.linkBytesPerSecond = linkBytesPerSecond;
        this.source = source;
    }

    /** Links of one GPU at most. */
    public int links() {
        return links;
    }

    /** Of one link, one way. */
    public double linkBytesPerSecond() {
        return linkBytesPerSecond;
    }

    public String source() {
        return source;
    }

    /** By a device's family ({@code hopper}); empty where it has no NVLinks that are known here. */
    public static Optional<NvLinkGeneration> ofFamily(String family) {
        return switch (family) {
            case "volta" -> Optional.of(VOLTA);
            case "ampere" -> Optional.of(AMPERE);
            case "hopper" -> Optional.of(HOPPER);
            case "blackwell" -> Optional.of(BLACKWELL);
            default -> Optional.empty();
        };
    }

    /** The family of a compute capability (CUDA programming guide); empty = not known here. */
    public static Optional<String> family(int computeCapability) {
        return switch (computeCapability / 10 * 10) {
            case 70 -> Optional.of("volta");
            case 80 -> Optional.of(computeCapability == 89 ? "ada" : "ampere");
            case 90 -> Optional.of("hopper");
            case 100 -> Optional.of("blackwell");
            default -> Optional.empty();
        };
    }
}
