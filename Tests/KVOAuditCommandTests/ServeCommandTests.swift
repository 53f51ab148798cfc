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
        "HTTP/1.1 200 OK", "Content-Type: text/html; charset=utf-8", "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
        "Cross-Origin-Resource-Policy: same-origin", "Connection: close",
        "Content-Security-Policy: frame-ancestors 'none'",
      ]
    )
    #expect(parts[1].hasPrefix("<!DOCTYPE html>\n<html lang=\"en\" data-state=\""))
    #expect(parts[1].hasSuffix("</html>\n"))
  }

  @Test("says before the first page that there is none yet, and has the browser ask again")
  func noPageYet() throws {
    let server = try ProgramRun.built("kvo-audit-serve").path
    let run = try CommandRun(
      shell: """
        mkfifo pages; '\(server)' 0 < pages > out & exec 9> pages
        until grep -q 127.0.0.1 out; do sleep 0.05; done
        port=$(sed -n 's|.*127.0.0.1:\\([0-9]*\\)/.*|\\1|p' out)
        exec 3<>/dev/tcp/127.0.0.1/$port
        printf 'GET / HTTP/1.1\\r\\nHost: localhost:%s\\r\\n\\r\\n' $port >&3
        tr -d '\\r' <&3 | grep -e HTTP -e Refresh -e log
        """,
      in: folder.url
    )
    #expect(run.output == "HTTP/1.1 503 Service Unavailable\nRefresh: 1\nThe log is being read.\n")
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
    "answers only GET and HEAD for its own pages, under its own names",
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
      ("HEAD / evil.example:$port", "421 Misdirected Request"),
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
    #expect(!request.hasPrefix("HEAD") || run.output.hasSuffix("\n\n"))
  }

  @Test("listens only on loopback, and ends with its watcher, even if that is killed")
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

  /// What each attack sends four times, in Python; `open()` is a new connection.
  ///
  /// Fewer than 1,024 connections together: a process may have no more descriptors.
  private static let attacks = [
    "a long header": #"send(b"GET / HTTP/1.1\r\nX: " + b"x" * 1_000_000)"#,
    "a long URL": #"send(b"GET /" + b"x" * 1_000_000)"#,
    "many headers": #"send(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200_000)"#,
    "a long body":
      #"send(b"POST / HTTP/1.1\r\nContent-Length: 9000000\r\n\r\n" + b"x" * 9_000_000)"#,
    "bytes that are not HTTP": #"send(bytes(range(256)) * 4000)"#,
    "idle connections": "[open() for _ in range(240)]",
    "connections that are closed at once": "[open().close() for _ in range(240)]",
    "requests that never end": #"[open().send(b"GET / HTTP/1.1\r\nX: ") for _ in range(240)]"#,
    "answers that nobody reads": #"""
    for _ in range(240): open().send(b"GET / HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % port)
    """#,
  ]

  @Test(
    "continues to answer while it is attacked, and ends on TERM",
    arguments: attacks.keys.sorted()
  )
  func attacked(by attack: String) throws {
    let run = try serving(
      """
      cat >attack.py <<'END'
      import socket, sys
      port, kept = int(sys.argv[1]), []
      def open():
          kept.append(socket.create_connection(("127.0.0.1", port)))
          return kept[-1]
      def send(request):
          try: open().sendall(request)
          except OSError: pass  # the server has seen enough
      for _ in range(4):
          \(Self.attacks[attack]!)
      print("sent", flush=True)
      sys.stdin.read()
      END
      mkfifo hold
      python3 attack.py $port <hold >sent & exec 9>hold
      until grep -q sent sent; do sleep 0.05; done
      ask GET / localhost:$port | grep -q first && echo answered
      server=$(cat /proc/$pid/task/*/children | tr -d ' ')
      kill -TERM $server
      while kill -0 $server 2>/dev/null && ! grep -qs "State:.Z" /proc/$server/status
      do sleep 0.05; done
      echo ended
      exec 9>&-
      """
    )
    #expect(run.output == "answered\nended\n", "\(run.complaint)")
  }

  @Test("explains the error in a request: too long, malformed, or with two hosts")
  func malformed() throws {
    let run = try serving(
      """
      raw() { exec 3<>/dev/tcp/127.0.0.1/$port; printf "$1" >&3; head -n 1 <&3 | tr -d '\\r'; exec 3>&-; }
      raw "GET / HTTP/1.1\\r\\nX: $(head -c 8200 /dev/zero | tr '\\0' x)"
      raw 'nonsense\\r\\n\\r\\n'
      raw "GET / HTTP/1.1\\r\\nHost: evil.example\\r\\nHost: localhost:$port\\r\\n\\r\\n"
      """
    )
    #expect(
      run.output == """
        HTTP/1.1 431 Request Header Fields Too Large
        HTTP/1.1 400 Bad Request
        HTTP/1.1 400 Bad Request

        """
    )
  }

  @Test("reports a port in use, and how to choose another")
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
  @Test("explains how to build with the server if it was left out")
  func leftOut() throws {
    let run = try CommandRun(["watch", "a.jsonl", "--serve"], in: folder.url)
    #expect(run.status == 69)
    #expect(run.complaint.contains("made without the trait Serve; `swift build --product"))
  }
  #endif

  @Test("reports an invalid port, and a missing log")
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
