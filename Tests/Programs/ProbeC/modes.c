#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ProbeC.h"

int probe_heed_modes(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
  if (syscall(SYS_capget, &header, data) != 0) return -1;
  data[0].effective &= ~(1u << CAP_DAC_OVERRIDE);
  return (int)syscall(SYS_capset, &header, data);
}
