import Glibc

exit(ProbeRun().report() ? 0 : 1)
