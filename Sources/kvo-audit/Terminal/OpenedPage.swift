import KVOLaunch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The page of `--open`: its file, and the browser.
enum OpenedPage {
  /// The file of a page that was not given one: in a new folder that only this user can read.
  ///
  /// Made when it is asked for, and removed at the exit if no page was written.
  static let path: String = {
    let parent = getenv("TMPDIR").map { String(cString: $0) }
    switch PrivateFolder.make(name: "kvo-audit", in: parent) {
    case .success(let folder):
      atexit { _ = rmdir(OutputFile.folder(of: OpenedPage.path)) }
      return "\(folder)/audit.html"
    // Writing says why there is no such folder.
    case .failure(let refusal): return "\(refusal.path)/audit.html"
    }
  }()

  /// Opens a page in the browser: the command in `BROWSER`, or the program of the system for it.
  ///
  /// The page is named on standard error in any case: there may be no browser here.
  static func open(_ path: String) {
    StandardStreams.complain("kvo-audit: the page is \"\(path)\"")
    let named = getenv("BROWSER").map { String(cString: $0) } ?? ""
    let command = named.isEmpty ? opener : named
    // The path is not part of the script, whatever is in it.
    setenv("KVO_AUDIT_PAGE", path, 1)
    guard system("\(command) \"$KVO_AUDIT_PAGE\" </dev/null >/dev/null 2>&1") != 0 else { return }
    StandardStreams.complain(
      "kvo-audit: \"\(command)\" did not open it; BROWSER names the command that opens a page"
    )
  }

  #if os(macOS)
  private static let opener = "open"
  #else
  private static let opener = "xdg-open"
  #endif
}
