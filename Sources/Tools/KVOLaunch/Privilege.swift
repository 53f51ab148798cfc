import Glibc

/// Why the loader would ignore, for a program, what the environment asks for.
///
/// A program that runs with more rights than its caller has (AT_SECURE, ld.so(8)) gets no libraries
/// from LD_PRELOAD, and should write no files to paths that its caller names.
enum Privilege: String, Hashable {
  case user = "setuid"
  case group = "setgid"

  /// The rights that the file at `path` would bring, or nil for none.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    var system = statvfs()
    if statvfs(path, &system) == 0, system.f_flag & UInt(ST_NOSUID) != 0 { return nil }
    if status.st_mode & S_ISUID != 0, status.st_uid != getuid() {
      self = .user
      // Without the right to execute, the bit means something else (inode(7)).
    } else if status.st_mode & S_ISGID != 0, status.st_mode & S_IXGRP != 0,
      status.st_gid != getgid()
    {
      self = .group
    } else {
      return nil
    }
  }
}
