#if Serve

import Foundation
import TestSupport
import Testing

/// The page of a log that grows, in a real browser.
@Suite(
  "The page of a watched log in a browser",
  .serialized,
  .enabled(if: Browser.path != nil, "needs chromium: Scripts/setup tests installs it")
)
struct WatchInBrowserTests {
  private let folder: ScratchFolder
  private let browser: Browser

  init() throws {
    folder = try ScratchFolder()
    browser = try Browser(in: folder.url)
  }

  /// A removal of an observer that is not registered.
  private static func removal(_ key: String) -> String {
    #"{"event":"remove","subject":{"class":"A","id":"1"},"observer":{"class":"B","id":"2"},"keyPath":"\#(key)"}"#
      + "\n"
  }

  private func append(_ line: String) throws {
    let log = try FileHandle(forWritingTo: folder.url.appending(path: "a.jsonl"))
    try log.seekToEnd()
    try log.write(contentsOf: Data(line.utf8))
    try log.close()
  }

  /// Waits until an expression is true, on whatever page is there by then.
  private func wait(until expression: String) throws {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(60)
    // A page that is left takes the question with it, and one that is still read does not scroll.
    let whole = "document.readyState === 'complete' && (\(expression))"
    while (try? browser.isTrue(whole)) != true {
      guard clock.now < end else { throw Browser.Failure(description: "never: \(expression)") }
      usleep(20_000)
    }
  }

  /// Starts watching; gives the process, and the address of the page.
  private func watch() throws -> (process: Process, page: URL) {
    let process = try Built.process(
      "kvo-audit",
      ["watch", "a.jsonl", "--serve", "0", "--every", "0.1"],
      in: folder.url,
      environment: [:]
    )
    let complaint = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = complaint
    try process.run()
    var line = Data()
    while line.last != 0x0a {
      let part = complaint.fileHandleForReading.availableData
      guard !part.isEmpty else { break }
      line += part
    }
    let text = String(decoding: line, as: UTF8.self)
    let match = text.firstMatch(of: #/kvo-audit: (http:\/\/127\.0\.0\.1:\d+\/) follows a\.jsonl\n/#)
    return (process, try #require(match.flatMap { URL(string: String($0.output.1)) }, "\(text)"))
  }

  @Test("shows what is new by itself, and leaves what was open, searched and seen as it was")
  func follows() throws {
    let (process, page) = try watch()
    // Swift Testing's threads block signals, which is inherited: only this one is not.
    defer { kill(process.processIdentifier, SIGKILL) }
    try browser.show(width: 800, height: 300)
    try browser.open(page)
    try wait(until: "document.querySelector('h1').textContent === 'KVO audit: waiting for the log'")

    _ = try folder.file("a.jsonl", Self.removal("first") + Self.removal("second"))
    try wait(until: "document.querySelectorAll('.finding').length === 2")
    _ = try browser.value(
      """
      document.getElementById('search').value = 'KVO002';
      document.getElementById('search').dispatchEvent(new Event('input', { bubbles: true }));
      document.querySelectorAll('.finding summary')[1].click();
      document.querySelectorAll('.finding summary')[1].focus();
      window.scrollTo(0, 200);
      """
    )
    let seen =
      "[document.getElementById('search').value, scrollY, "
      + "[...document.querySelectorAll('.finding')].map((one) => +one.open).join(''), "
      + "[...document.querySelectorAll('.finding')].indexOf(document.activeElement.parentElement)].join()"
    let before = try browser.text(seen)
    #expect(before == "KVO002,200,01,1")

    try append(Self.removal("third"))
    try wait(until: "document.querySelectorAll('.finding').length === 3")
    try wait(until: "\(seen) === 'KVO002,200,010,1'")
    #expect(try browser.text("document.querySelector('h1').textContent") == "KVO audit: 3 errors")
    #expect(
      try browser.text("document.getElementById('shown').textContent") == "3 of 3 findings shown"
    )
    try wait(until: "document.getElementById('live').textContent === 'This page follows its log.'")
    #expect(try browser.complaints == [])

    // Without its server, the page stays.
    kill(process.processIdentifier, SIGKILL)
    try wait(until: "document.getElementById('live').textContent.startsWith('Nobody follows')")
    #expect(try browser.number("document.querySelectorAll('.finding').length") == 3)
  }
}

#endif
