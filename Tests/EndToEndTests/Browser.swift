import Foundation

/// A real browser without a window, steered through its DevTools protocol.
///
/// The protocol runs over file descriptors that the browser inherits: no port is opened, nothing is
/// installed but the browser. Messages are JSON, each ended by a zero byte.
/// Source: <https://chromedevtools.github.io/devtools-protocol/>.
final class Browser {
  /// The path of chromium, or nil.
  static let path: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return ["chromium", "chromium-browser", "google-chrome"].lazy
      .flatMap { name in folders.lazy.map { "\($0)/\(name)" } }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// After this long a browser that does not answer is killed, so that a test fails and does not hang.
  private static let patience = 120.0

  private let process = Process()
  /// Our end of the pair of sockets; the browser's is its descriptors 3 and 4.
  private let socket: Int32
  private var unread: [UInt8] = []
  private var lastID = 0
  private var session: String?
  /// What the browser said unasked.
  private var events: [[String: Any]] = []

  /// Starts a browser whose files are in `folder`.
  init(in folder: URL) throws {
    var ends: [Int32] = [0, 0]
    // Not inherited by programs that other tests start at the same time, which would keep it open.
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else { throw Failure(description: "no sockets: \(String(cString: strerror(errno)))") }
    socket = ends[0]
    let profile = folder.appending(path: "profile-\(UUID().uuidString)").path
    let options = [
      "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
      "--disable-background-networking", "--remote-debugging-pipe",
      "--user-data-dir='\(profile)'", "about:blank",
    ]
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = [
      "-c",
      "exec '\(Self.path ?? "chromium")' \(options.joined(separator: " ")) "
        + "3<&0 4>&0 </dev/null >/dev/null 2>&1",
    ]
    process.standardInput = FileHandle(fileDescriptor: ends[1], closeOnDealloc: false)
    try process.run()
    close(ends[1])
    let target = try call("Target.createTarget", ["url": "about:blank"])["targetId"] ?? ""
    session =
      try call("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"]
      as? String
    for domain in ["Page", "Runtime", "Log"] { try call("\(domain).enable") }
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
    close(socket)
  }

  // MARK: - What tests do

  /// Opens `page`, and waits until it is loaded.
  func open(_ page: URL, fragment: String = "") throws {
    // A page that only the fragment is new of would not be loaded again.
    try call("Page.navigate", ["url": "about:blank"])
    try wait(for: "Page.loadEventFired")
    let address = page.absoluteString + (fragment.isEmpty ? "" : "#\(fragment)")
    try call("Page.navigate", ["url": address])
    try wait(for: "Page.loadEventFired")
  }

  /// Shows what follows as on a screen of this size, in this scheme, or on paper.
  func show(
    width: Int = 1280,
    height: Int = 900,
    scheme: String = "light",
    isPrint: Bool = false
  )
    throws
  {
    try call(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false]
    )
    try call(
      "Emulation.setEmulatedMedia",
      [
        "media": isPrint ? "print" : "screen",
        "features": [["name": "prefers-color-scheme", "value": scheme]],
      ]
    )
  }

  func allowScripts(_ isAllowed: Bool) throws {
    try call("Emulation.setScriptExecutionDisabled", ["value": !isAllowed])
  }

  /// Presses a key that writes `key`, or one that has that name.
  func press(_ key: String) throws {
    var parameters: [String: Any] = ["type": "keyDown", "key": key]
    if key == "Enter" {
      parameters["text"] = "\r"
    } else if key.count == 1 {
      parameters["text"] = key
    }
    if key == "Enter" { parameters["windowsVirtualKeyCode"] = 13 }
    if key == "Tab" { parameters["windowsVirtualKeyCode"] = 9 }
    try call("Input.dispatchKeyEvent", parameters)
    parameters["type"] = "keyUp"
    parameters["text"] = nil
    try call("Input.dispatchKeyEvent", parameters)
  }

  func type(_ text: String) throws { try call("Input.insertText", ["text": text]) }

  /// The value of a JavaScript expression, as JSON knows it.
  func value(_ expression: String) throws -> Any? {
    let answer = try call(
      "Runtime.evaluate",
      ["expression": expression, "returnByValue": true, "awaitPromise": true]
    )
    if let details = answer["exceptionDetails"] { throw Failure(description: "\(details)") }
    return (answer["result"] as? [String: Any])?["value"]
  }

  /// Waits until an expression is true.
  func wait(until expression: String) throws {
    _ = try value(
      """
      new Promise((done) => {
        const look = () => (\(expression)) ? done(0) : setTimeout(look, 20);
        look();
      })
      """
    )
  }

  func text(_ expression: String) throws -> String { try value(expression) as? String ?? "" }
  func number(_ expression: String) throws -> Int { try value(expression) as? Int ?? -1 }
  func isTrue(_ expression: String) throws -> Bool { try value(expression) as? Bool ?? false }

  /// What was written to the console, thrown, or refused since the browser was started.
  var complaints: [String] {
    get throws {
      _ = try value("0")
      let names: Set = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"]
      return events.filter { names.contains($0["method"] as? String ?? "") }
        .map { "\($0["params"] ?? "")" }
    }
  }

  // MARK: - Messages

  @discardableResult
  private func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
    lastID += 1
    var message: [String: Any] = ["id": lastID, "method": method, "params": parameters]
    if let session { message["sessionId"] = session }
    try send(try JSONSerialization.data(withJSONObject: message) + [0])
    while true {
      let answer = try receive()
      guard answer["id"] as? Int == lastID else {
        events.append(answer)
        continue
      }
      if let error = answer["error"] { throw Failure(description: "\(method): \(error)") }
      return answer["result"] as? [String: Any] ?? [:]
    }
  }

  private func wait(for method: String) throws {
    while true {
      if let place = events.firstIndex(where: { $0["method"] as? String == method }) {
        events.remove(at: place)
        return
      }
      events.append(try receive())
    }
  }

  private func send(_ message: Data) throws {
    var rest = Array(message)[...]
    while !rest.isEmpty {
      // A browser that has exited is an error, not a signal.
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(description: "the browser has gone") }
      rest = rest.dropFirst(count)
    }
  }

  private func receive() throws -> [String: Any] {
    while true {
      if let end = unread.firstIndex(of: 0) {
        let message = Data(unread[..<end])
        unread.removeFirst(end + 1)
        return try JSONSerialization.jsonObject(with: message) as? [String: Any] ?? [:]
      }
      var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      let isReady = poll(&waiting, 1, Int32(Self.patience * 1_000))
      guard isReady > 0 else { throw Failure(description: "the browser does not answer") }
      var part = [UInt8](repeating: 0, count: 1 << 16)
      let count = recv(socket, &part, part.count, 0)
      guard count > 0 else { throw Failure(description: "the browser has gone") }
      unread += part[..<count]
    }
  }
}
