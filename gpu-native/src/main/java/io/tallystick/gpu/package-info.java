/// Hashing in bulk on a CUDA device. The kernels are in `src/main/cuda`; what they were compiled to
/// is a resource of this package, and {@link io.tallystick.gpu.KernelImage} has it.
@NullMarked
package io.tallystick.gpu;

import org.jspecify.annotations.NullMarked;
