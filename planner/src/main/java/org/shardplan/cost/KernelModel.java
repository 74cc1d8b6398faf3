package org.shardplan.cost;

import org.shardplan.cluster.Device;
import org.shardplan.graph.DataType;
import org.shardplan.program.Kernel;
import org.shardplan.workload.Framework;

/**
 * Time of one kernel on one device under a framework: measured products by shape at sustained clocks, attention by measured
 * rates, all else by memory traffic; never less than the host takes to launch. Safe for use by many threads; allocates
 * nothing once a (device, framework) pair was seen.
 */
public final class KernelModel {
    private final KernelTables tables;
    private final Calibration calibration;
    private volatile DeviceKernels[] known = {};

    public KernelModel(KernelTables tables, Calibration calibration) {
        this.tables = tables;
        this.calibration = calibration;
    }

    /** Seconds from the kernel's start to the next one's; NaN where the device lacks the precision. */
    public double seconds(Kernel kernel, Device device, Framework framework) {
        return on(device, framework).seconds(kernel);
    }

    /** The model with the device's constants looked up; kept, so that the same pair gives the same object. */
    public DeviceKernels on(Device device, Framework framework) {
        for (DeviceKernels kernels : known) {
            if (kernels.isFor(device, framework)) {
                return kernels;
            }
        }
        return learn(device, framework);
    }

    private synchronized DeviceKernels learn(Device device, Framework framework) {
        DeviceKernels added = new DeviceKernels(device, framework, tables, calibration);
        DeviceKernels[] grown = new DeviceKernels[known.length + 1];
        System.arraycopy(known, 0, grown, 1, known.length);
        grown[0] = added;
        known = grown;
        return added;
    }

    /** Whether products are priced from measurements; else by a roofline, which a report must say. */
    public boolean isMeasured(Device device) {
        return tables.products(device.kernelTable(), DataType.BF16).isPresent();
    }

    /** Where the products' times come from, for reports. */
    public String source(Device device) {
        return tables.products(device.kernelTable(), DataType.BF16)
                .map(ProductTable::source)
                .orElse("no kernel table: roofline at " + calibration.constant("roofline/efficiency") + " of peak");
    }
}
