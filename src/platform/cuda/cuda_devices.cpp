// Which GPUs there are, and what each can do.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <array>
#include <cstdio>
#include <string>

#include "platform/cuda/cuda_backend.hpp"
#include "platform/cuda/driver_entry.hpp"
#include "platform/linux/pci.hpp"

namespace pinhole::platform {

namespace {

std::string version_text(int number) {
  return number == 0 ? std::string()
                     : std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

int driver_attribute(CUdevice_attribute which, int ordinal) {
  using function = CUresult (*)(int*, CUdevice_attribute, CUdevice);
  const auto get = driver_entry<function>("cuDeviceGetAttribute", 12000);
  int value = 0;
  return get != nullptr && get(&value, which, ordinal) == CUDA_SUCCESS ? value : 0;
}

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, ordinal) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // an attribute that this driver does not know is a no
    return 0;
  }
  return value;
}

std::string uuid_text(const cudaUUID_t& uuid, bool is_mig) {
  std::string text = is_mig ? "MIG" : "GPU";
  for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    std::array<char, 4> pair{};
    std::snprintf(pair.data(), pair.size(), "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    text += (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) ? "-" : "";
    text += pair.data();
  }
  return text;
}

capability yes_or(bool yes, const char* reason, const char* remedy) {
  return yes ? capability{true, "", ""} : capability{false, reason, remedy};
}

void describe_memory_access(capabilities& into, int ordinal) {
  into.map_host_memory =
      yes_or(attribute(cudaDevAttrCanMapHostMemory, ordinal) != 0,
             "the device cannot map host memory", "use staged buffers, or another device");
  into.same_pointer_registered =
      yes_or(attribute(cudaDevAttrCanUseHostPointerForRegisteredMem, ordinal) != 0,
             "the device sees registered memory at another address",
             "give kernels device(), never host()");
  into.register_read_only =
      yes_or(attribute(cudaDevAttrHostRegisterReadOnlySupported, ordinal) != 0,
             "the driver cannot register read-only pages", "map the file writable and private");
  into.managed_concurrent =
      yes_or(attribute(cudaDevAttrConcurrentManagedAccess, ordinal) != 0,
             "the device cannot share managed memory with a running CPU", "use mapped buffers");
  into.pageable_access = yes_or(attribute(cudaDevAttrPageableMemoryAccess, ordinal) != 0,
                                "neither the link nor the kernel (HMM) lets the device reach "
                                "pageable memory",
                                "register the memory, or use a kernel and driver with HMM");
  into.native_host_atomics =
      yes_or(attribute(cudaDevAttrHostNativeAtomicSupported, ordinal) != 0,
             "the link has no atomics", "let each word have one writer, as the signals do");
  if (into.pageable_access) {
    const bool by_host = attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables, ordinal) != 0;
    into.pageable_through = by_host ? page_tables::host : page_tables::device;
    into.pageable_access.reason =
        by_host ? "through the host's page tables" : "through the device's page tables (HMM)";
  }
}

void describe_sharing(capabilities& into, int ordinal) {
  into.integrated = yes_or(attribute(cudaDevAttrIntegrated, ordinal) != 0,
                           "the device has memory of its own", "");
  into.vmm_on_host = yes_or(
      driver_attribute(CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                       ordinal) != 0,
      "the driver cannot map host memory by its virtual memory management", "use a newer driver");
  into.dma_buf = yes_or(driver_attribute(CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED, ordinal) != 0,
                        "the driver exports no dma-buf",
                        "use the open kernel modules of the driver and Linux 5.12 or newer");
}

}  // namespace

status cuda_backend::describe(capabilities& into) {
  const current_device current(ordinal_);
  cudaDeviceProp facts{};
  const auto result = cudaGetDeviceProperties(&facts, ordinal_);
  if (result != cudaSuccess) {
    return status_of(result, "cudaGetDeviceProperties");
  }
  into.architecture = "sm_" + std::to_string(facts.major) + std::to_string(facts.minor);
  into.multiprocessors = facts.multiProcessorCount;
  into.memory_bytes = facts.totalGlobalMem;
  into.l2_bytes = static_cast<std::uint64_t>(facts.l2CacheSize);
  into.is_mig = std::string(facts.name).find("MIG") != std::string::npos;
  into.uuid = uuid_text(facts.uuid, into.is_mig);

  int version = 0;
  cudaDriverGetVersion(&version);
  into.cuda_driver_version = version_text(version);
  cudaRuntimeGetVersion(&version);
  into.runtime_version = version_text(version);
  into.driver_version = nvidia_driver_version();

  std::array<char, 32> bus{};
  if (cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), ordinal_) == cudaSuccess) {
    into.pci_bus_id = bus.data();
    const auto link = read_pci(into.pci_bus_id);
    into.pcie_generation = link.generation;
    into.pcie_width = link.width;
    into.numa_node = link.numa_node;
    into.bar1_bytes = link.bar1_bytes;
    into.link_unknown_reason = link.missing;
  } else {
    static_cast<void>(cudaGetLastError());
    into.link_unknown_reason = "the driver names no PCI device";
  }
  describe_memory_access(into, ordinal_);
  describe_sharing(into, ordinal_);
  return {};
}

std::vector<gpu> find_gpus(std::string& why) {
  int driver = 0;
  cudaDriverGetVersion(&driver);
  int count = 0;
  const auto result = cudaGetDeviceCount(&count);
  static_cast<void>(cudaGetLastError());
  const std::string needed = version_text(CUDART_VERSION / 1000 * 1000);
  if (result == cudaErrorInsufficientDriver && driver != 0) {
    why = "the driver supports CUDA " + version_text(driver) + " and this build needs CUDA " +
          needed + ": install a newer driver";
  } else if (driver == 0) {
    why = has_nvidia_gpu() ? "there is an NVIDIA GPU and no driver for it: install NVIDIA's driver "
                             "(for a container, start it with the GPU made visible)"
                           : "no NVIDIA driver is loaded";
  } else if (result != cudaSuccess) {
    why = std::string("the driver shows no device (") + cudaGetErrorName(result) +
          "): look at CUDA_VISIBLE_DEVICES and nvidia-smi";
  } else if (count == 0) {
    why = "the driver shows no device: look at CUDA_VISIBLE_DEVICES and nvidia-smi";
  }
  std::vector<gpu> found;
  for (int ordinal = 0; result == cudaSuccess && ordinal < count; ++ordinal) {
    cudaDeviceProp facts{};
    if (cudaGetDeviceProperties(&facts, ordinal) == cudaSuccess) {
      found.push_back({std::make_shared<cuda_backend>(ordinal), facts.name, ordinal});
    }
  }
  return found;
}

}  // namespace pinhole::platform
