package io.tallystick.gpu;

import io.tallystick.hashing.DeviceLostException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;

/// The functions of the CUDA driver API that are used. A result other than success is an exception
/// that has the function, the error's name and its number. Addresses are numbers.
class CudaDriver {
  private static final int NAME_BYTES = 256;

  private static final class HostPointer extends Pointer {
    HostPointer(long address) {
      super(address);
    }

    long address() {
      return getNativePointer();
    }
  }

  private static final class DevicePointer extends CUdeviceptr {
    DevicePointer(long address) {
      super(new CUdeviceptr(), address);
    }

    long address() {
      return getNativePointer() + getByteOffset();
    }
  }

  void check(String function, int result) throws DeviceLostException {
    if (result != CUresult.CUDA_SUCCESS) {
      throw new DeviceLostException(
          function + ": " + CUresult.stringFor(result) + " (" + result + ")");
    }
  }

  /// How many devices there are, also 0.
  int devices() throws DeviceLostException {
    int initialised = JCudaDriver.cuInit(0);
    if (initialised == CUresult.CUDA_ERROR_NO_DEVICE) {
      return 0;
    }
    check("cuInit", initialised);
    int[] count = new int[1];
    check("cuDeviceGetCount", JCudaDriver.cuDeviceGetCount(count));
    return count[0];
  }

  CUdevice device(int ordinal) throws DeviceLostException {
    CUdevice device = new CUdevice();
    check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, ordinal));
    return device;
  }

  String name(CUdevice device) throws DeviceLostException {
    byte[] name = new byte[NAME_BYTES];
    check("cuDeviceGetName", JCudaDriver.cuDeviceGetName(name, name.length, device));
    String text = new String(name, StandardCharsets.UTF_8);
    int end = text.indexOf(0);
    return (end < 0 ? text : text.substring(0, end)).strip();
  }

  /// @param attribute one of `CUdevice_attribute`
  int attribute(int attribute, CUdevice device) throws DeviceLostException {
    int[] value = new int[1];
    check("cuDeviceGetAttribute", JCudaDriver.cuDeviceGetAttribute(value, attribute, device));
    return value[0];
  }

  long memoryBytes(CUdevice device) throws DeviceLostException {
    long[] bytes = new long[1];
    check("cuDeviceTotalMem", JCudaDriver.cuDeviceTotalMem(bytes, device));
    return bytes[0];
  }

  /// The version of CUDA that the driver is of, as major · 1000 + minor · 10.
  int version() throws DeviceLostException {
    int[] version = new int[1];
    check("cuDriverGetVersion", JCudaDriver.cuDriverGetVersion(version));
    return version[0];
  }

  CUcontext retain(CUdevice device) throws DeviceLostException {
    CUcontext context = new CUcontext();
    check("cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
    return context;
  }

  void release(CUdevice device) throws DeviceLostException {
    check("cuDevicePrimaryCtxRelease", JCudaDriver.cuDevicePrimaryCtxRelease(device));
  }

  /// On the calling thread of the system, which is not always that of a virtual thread.
  void setCurrent(CUcontext context) throws DeviceLostException {
    check("cuCtxSetCurrent", JCudaDriver.cuCtxSetCurrent(context));
  }

  CUmodule load(String ptx) throws DeviceLostException {
    CUmodule module = new CUmodule();
    int result = JCudaDriver.cuModuleLoadDataEx(module, ptx, 0, new int[0], Pointer.to(new int[0]));
    check("cuModuleLoadDataEx", result);
    return module;
  }

  void unload(CUmodule module) throws DeviceLostException {
    check("cuModuleUnload", JCudaDriver.cuModuleUnload(module));
  }

  CUfunction function(CUmodule module, String name) throws DeviceLostException {
    CUfunction function = new CUfunction();
    check("cuModuleGetFunction", JCudaDriver.cuModuleGetFunction(function, module, name));
    return function;
  }

  long allocate(long bytes) throws DeviceLostException, DeviceFullException {
    DevicePointer pointer = new DevicePointer(0);
    checkRoom("cuMemAlloc", JCudaDriver.cuMemAlloc(pointer, bytes), bytes);
    return pointer.address();
  }

  void free(long address) throws DeviceLostException {
    check("cuMemFree", JCudaDriver.cuMemFree(new DevicePointer(address)));
  }

  /// Page-locked memory of the host, for all contexts.
  long allocatePinned(long bytes) throws DeviceLostException, DeviceFullException {
    HostPointer pointer = new HostPointer(0);
    int result = JCudaDriver.cuMemHostAlloc(pointer, bytes, JCudaDriver.CU_MEMHOSTALLOC_PORTABLE);
    checkRoom("cuMemHostAlloc", result, bytes);
    return pointer.address();
  }

  void freePinned(long address) throws DeviceLostException {
    check("cuMemFreeHost", JCudaDriver.cuMemFreeHost(new HostPointer(address)));
  }

  private void checkRoom(String function, int result, long bytes)
      throws DeviceLostException, DeviceFullException {
    if (result == CUresult.CUDA_ERROR_OUT_OF_MEMORY) {
      throw new DeviceFullException(function + ": no room for " + bytes + " bytes");
    }
    check(function, result);
  }

  CUstream stream() throws DeviceLostException {
    CUstream stream = new CUstream();
    check(
        "cuStreamCreate",
        JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
    return stream;
  }

  void destroy(CUstream stream) throws DeviceLostException {
    check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(stream));
  }

  /// Whether all that was put into the stream is done.
  boolean isDone(CUstream stream) throws DeviceLostException {
    int result = JCudaDriver.cuStreamQuery(stream);
    if (result == CUresult.CUDA_ERROR_NOT_READY) {
      return false;
    }
    check("cuStreamQuery", result);
    return true;
  }

  /// @param from address of page-locked memory
  void copyIn(long to, long from, long bytes, CUstream stream) throws DeviceLostException {
    int result =
        JCudaDriver.cuMemcpyHtoDAsync(new DevicePointer(to), new HostPointer(from), bytes, stream);
    check("cuMemcpyHtoDAsync", result);
  }

  /// @param to address of page-locked memory
  void copyOut(long to, long from, long bytes, CUstream stream) throws DeviceLostException {
    int result =
        JCudaDriver.cuMemcpyDtoHAsync(new HostPointer(to), new DevicePointer(from), bytes, stream);
    check("cuMemcpyDtoHAsync", result);
  }

  /// @param parameters a native array of addresses of each parameter; read before this returns
  void launch(
      CUfunction function, int blocks, int blockThreads, MemorySegment parameters, CUstream stream)
      throws DeviceLostException {
    int result =
        JCudaDriver.cuLaunchKernel(
            function,
            blocks,
            1,
            1,
            blockThreads,
            1,
            1,
            0,
            stream,
            new HostPointer(parameters.address()),
            null);
    check("cuLaunchKernel", result);
  }
}
