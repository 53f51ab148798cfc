import Foundation
import TestSupport
import Testing

@Suite("kvo-audit watch --serve") struct ServeCommandTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    _ = try folder.file(
      "a.jsonl",
      #"{"event":"remove","subject":{"class":"A","id":"1"},"observer":{"class":"B","id":"2"},"keyPath":"first"}"#
        + "\n"
    )
  }

  #if Serve
  /// Runs a script while a log is served, in which `ask METHOD PATH HOST` prints what is answered, and
  /// `$port` is the port.
  private func serving(_ script: String) throws -> CommandRun {
    try CommandRun(
      shell: """
        : >out; : >err
        $audit watch a.jsonl --serve 0 --every 0.1 >>out 2>>err & pid=$!
        # Swift Testing's threads block signals, which is inherited: only this one is not.
        trap 'kill -KILL $pid 2>/dev/null' EXIT
        until grep -q follows err && grep -q first out; do sleep 0.05; done
        port=$(sed -n 's|.*127.0.0.1:\\([0-9]*\\)/.*|\\1|p' err)
        ask() {
          exec 3<>/dev/tcp/127.0.0.1/$port
          printf '%s %s HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n' "$1" "$2" "$3" >&3
          tr -d '\\r' <&3
          exec 3>&-
        }
        until ask GET / localhost:$port | grep -q first; do sleep 0.05; done
        \(script)
        """,
      in: folder.url
    )
  }

  @Test("answers with the page, keeps nothing in caches, and lets no other site show or read it")
  func page() throws {
    let run = try serving("ask GET / 127.0.0.1:$port")
    let parts = run.output.split(separator: "\n\n", maxSplits: 1)
    let head = parts[0].split(separator: "\n").filter { !$0.hasPrefix("Content-Length: ") }
    #expect(
      head == [
        "HTTP/1.1 200 OK", "Cache-Control: no-store",
        "Content-Security-Policy: frame-ancestors 'none'",
        "Content-Type: text/html; charset=utf-8", "Cross-Origin-Resource-Policy: same-origin",
        "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
      ]
    )
    #expect(parts[1].hasPrefix("<!DOCTYPE html>\n<html lang=\"en\" data-state=\""))
    #expect(parts[1].hasSuffix("</html>\n"))
  }

  @Test("the state is the page's, and HEAD has the head alone")
  func state() throws {
    let run = try serving(
      """
      state=$(ask GET / localhost:$port | sed -n 's/.*data-state="\\([^"]*\\)".*/\\1/p')
      [ "$(ask GET /state localhost:$port | tail -n 1)" = "$state" ] && echo same
      ask HEAD / localhost:$port | sed 's/[0-9]\\{4,\\}/N/' | grep -c -e html -e 'Content-Length: N'
      """
    )
    #expect(run.output == "same\n2\n")
  }

  @Test(
    "answers nothing but GET and HEAD of what it has, under its own names",
    arguments: [
      ("POST / localhost:$port", "405 Method Not Allowed"),
      ("DELETE /state localhost:$port", "405 Method Not Allowed"),
      ("OPTIONS / localhost:$port", "405 Method Not Allowed"),
      ("GET /a.jsonl localhost:$port", "404 Not Found"),
      ("GET /../../../../etc/passwd localhost:$port", "404 Not Found"),
      ("GET /%2e%2e/%2e%2e/etc/passwd localhost:$port", "404 Not Found"),
      ("GET //etc/passwd localhost:$port", "404 Not Found"),
      ("GET http://localhost/etc/passwd localhost:$port", "404 Not Found"),
      ("GET / evil.example:$port", "421 Misdirected Request"),
      ("GET / localhost", "421 Misdirected Request"),
      ("GET / localhost:1", "421 Misdirected Request"),
      ("GET /state 127.0.0.1.evil.example:$port", "421 Misdirected Request"),
      ("GET / ''", "421 Misdirected Request"),
      ("GET /favicon.ico localhost:$port", "204 No Content"),
    ]
  )
  func refusals(request: String, answer: String) throws {
    let run = try serving("ask \(request)")
    #expect(run.output.hasPrefix("HTTP/1.1 \(answer)\n"), "\(run.output)")
    #expect(!run.output.contains("root:") && !run.output.contains("keyPath"))
  }

  @Test("listens on loopback alone, and ends with what it serves for, also where that is killed")
  func ends() throws {
    let run = try serving(
      """
      listens() { grep -i ":$(printf %04X $port) [0-9A-F:]* 0A " /proc/net/tcp /proc/net/tcp6; }
      listens | grep -c -i " 0100007F:"
      listens | wc -l
      kill -KILL $pid
      while listens >/dev/null; do sleep 0.05; done
      echo gone
      """
    )
    #expect(run.output == "1\n1\ngone\n")
  }

  @Test("says which port is taken, and what would be right")
  func taken() throws {
    let run = try serving("$audit watch --serve $port a.jsonl; echo \"status $?\"")
    #expect(run.output == "status 69\n")
    #expect(
      run.complaint.wholeMatch(
        of:
          #/kvo-audit: port \d+ of 127\.0\.0\.1 is taken; name another with --serve PORT, or 0 for any that is free\n/#
      ) != nil,
      "\(run.complaint)"
    )
  }
  #else
  @Test("says how to build with it where it was left out")
  func leftOut() throws {
    let run = try CommandRun(["watch", "a.jsonl", "--serve"], in: folder.url)
    #expect(run.status == 69)
    #expect(run.complaint.contains("made without the trait Serve; `swift build --product"))
  }
  #endif

  @Test("says what is no port, and what is missing")
  func usage() throws {
    for (arguments, status, words) in [
      (["a.jsonl", "--serve", "65536"], 64, "--serve 65536: a port from 0 to 65535, such as 8080"),
      (["a.jsonl", "--serve=-1"], 64, "--serve -1: a port from 0 to 65535"),
      (["--serve", "x", "a.jsonl"], 64, "--serve x: a port from 0 to 65535"),
      (["--serve"], 64, "name the log to watch: kvo-audit watch app.kvolog"),
      ([], 64, "name the log to watch"),
      (["--serve", "-"], 64, "each look reads the log anew"),
    ] as [([String], Int32, String)] {
      let run = try CommandRun(["watch"] + arguments, in: folder.url)
      #expect(run.status == status, "\(arguments)")
      #expect(run.complaint.contains(words), "\(arguments): \(run.complaint)")
    }
    let alone = try CommandRun(
      shell: "cp \"$audit\" here && ./here watch a.jsonl --serve; echo $?",
      in: folder.url
    )
    #expect(alone.output == "69\n")
    #expect(
      alone.complaint
        == "kvo-audit: --serve needs kvo-audit-serve, which is neither beside this program nor in "
        + "its ../libexec; `swift build --product kvo-audit-serve` makes it\n"
    )
  }
}
