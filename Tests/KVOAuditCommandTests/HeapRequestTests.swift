import CKVORetention
import Foundation
import KVOHeap
import TestSupport
import Testing

/// Snapshots of a running program, whose threads change objects and memory meanwhile.
@Suite("kvo-audit heap --pid", .enabled(if: kvos_is_glibc_heap() != 0))
struct HeapRequestTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Runs a script while the program runs in `mode` as `$pid`, and then lets it end.
  private func run(_ mode: String, environment: String = "", _ script: String) throws -> CommandRun
  {
    try CommandRun(
      shell: """
        await() { until grep -q -e "$1" "$2"; do sleep 0.05; done; }
        mkfifo input
        \(environment) '\(try ProgramRun.built("RetentionProbe").path)' requests \(mode) \
          > out 2> err < input & pid=$!
        exec 9> input
        await ready out
        \(script)
        exec 9>&-
        wait $pid; echo "ended with $?"; cat out
        """,
      in: folder.url
    )
  }

  private func snapshot(_ name: String) throws -> HeapSnapshot {
    try HeapFile.snapshot(of: Array(Data(contentsOf: folder.url.appending(path: name))))
  }

  private func check(_ snapshot: HeapSnapshot) {
    func count(_ name: String) -> Int {
      snapshot.objects.indices.count { snapshot.classOf($0).name == name }
    }
    #expect(count("RequestRoot") == 1)
    #expect(count("RequestPage") >= 20)
    #expect(snapshot.processName == "RetentionProbe")
    var finder = PathFinder(snapshot)
    let path = finder.path { snapshot.classOf($0).name == "RequestRoot" }
    #expect(path?.root.kind == .global)
  }

  @Test("a process answers again and again, and runs on")
  func process() throws {
    let run = try run(
      "call",
      """
      echo $pid > pid
      $audit heap --pid $pid --output first.kvoheap | grep -c RequestRoot
      $audit heap --pid $pid --path RequestRoot | tail -1
      stat -c %a first.kvoheap
      """
    )
    #expect(run.complaint == "")
    let lines = run.output.split(separator: "\n")
    #expect(lines.first == "1")
    #expect(lines.dropFirst().first?.contains("RequestRoot") == true, "\(run.output)")
    #expect(lines.dropFirst(2) == ["600", "ended with 0", "ready", "handled 0"])
    let snapshot = try snapshot("first.kvoheap")
    check(snapshot)
    let process = try String(contentsOf: folder.url.appending(path: "pid"), encoding: .utf8)
    #expect("\(snapshot.processID)\n" == process)
    #expect(snapshot.gaps.isDisjoint(with: .outOfTime))
  }

  @Test("a signal writes files, and the program's own handler is called, too")
  func signal() throws {
    let run = try run(
      "call",
      """
      kill -USR2 $pid; await -1.kvoheap err
      kill -USR2 $pid; await -2.kvoheap err
      ls *.kvoheap* | sed "s/$pid/PID/"; sed "s/$pid/PID/" err
      mv *-2.kvoheap second.kvoheap
      """
    )
    #expect(
      run.output == """
        RetentionProbe-PID-1.kvoheap
        RetentionProbe-PID-2.kvoheap
        KVOSafety: heap snapshot: ./RetentionProbe-PID-1.kvoheap
        KVOSafety: heap snapshot: ./RetentionProbe-PID-2.kvoheap
        ended with 0
        ready
        handled 2

        """
    )
    check(try snapshot("second.kvoheap"))
  }

  @Test("a file of an earlier process with the same ID is kept")
  func earlierFile() throws {
    let run = try run(
      "call",
      """
      echo earlier > RetentionProbe-$pid-1.kvoheap
      kill -USR2 $pid; await kvoheap err
      sed "s/$pid/PID/" err; cat RetentionProbe-$pid-1.kvoheap
      """
    )
    #expect(
      run.output == """
        KVOSafety: heap snapshot: ./RetentionProbe-PID-2.kvoheap
        earlier
        ended with 0
        ready
        handled 1

        """
    )
  }

  @Test("the environment allows it, for programs that install the search")
  func environment() throws {
    let run = try run(
      "environment",
      environment: "KVO_SAFETY_HEAP=missing KVO_SAFETY_HEAP_SIGNAL=USR2",
      """
      kill -USR2 $pid; await 'No such file' err
      $audit heap --pid $pid --format json > /dev/null; echo "status $?"
      sed "s/$pid/PID/" err
      """
    )
    #expect(
      run.output == """
        status 0
        KVOSafety: no heap snapshot: missing/RetentionProbe-PID-1.kvoheap: cannot be written: No such file or directory
        ended with 0
        ready
        handled 1

        """
    )
    let wrong = try self.run(
      "environment",
      environment: "KVO_SAFETY_HEAP=. KVO_SAFETY_HEAP_SIGNAL=SEGV",
      "await SEGV err; cat err; rm input"
    )
    #expect(
      wrong.output.hasPrefix(
        """
        KVOSafety: no heap snapshots are taken: KVO_SAFETY_HEAP_SIGNAL is "SEGV", and must be USR1, USR2 or a number

        """
      ),
      "\(wrong.output)"
    )
  }

  @Test("a process that does not answer is named, with the reason")
  func refusals() throws {
    let run = try run(
      "none",
      """
      $audit heap --pid $pid 2>&1 | sed "s/$pid/PID/"
      $audit heap --pid 2147483647 2>&1; echo "status $?"
      $audit heap --pid $pid --output none/app.kvoheap 2>&1; echo "status $?"
      """
    )
    #expect(
      run.output == """
        kvo-audit: process PID: the process takes no requests: it must call RetainSearch().allowSnapshots(), or \
        RetainSearch.install() with KVO_SAFETY_HEAP in its environment
        kvo-audit: process 2147483647: there is no such process
        status 65
        kvo-audit: none/app.kvoheap: cannot be written: No such file or directory
        status 74
        ended with 0
        ready
        handled 0

        """
    )
    for (arguments, words) in [
      ([], "name a snapshot, or a process with --pid"),
      (["a.kvoheap", "--pid", "1"], "name a snapshot or a process, not both"),
      (["a.kvoheap", "--output", "b.kvoheap"], "--output needs --pid"),
      (["--pid", "0"], "--pid 0: must be positive"),
    ] as [([String], String)] {
      let run = try CommandRun(["heap"] + arguments, in: folder.url)
      #expect(run.status == 64)
      #expect(run.complaint.contains(words), "\(run.complaint)")
    }
  }

  @Test("another user's process is refused, by both sides", .enabled(if: getuid() == 0))
  func users() throws {
    let run = try run(
      "call",
      """
      chmod 755 .
      setpriv --reuid 65534 --clear-groups "$audit" heap --pid $pid 2>&1 | sed "s/$pid/PID/"
      # Who does not ask first is refused by the process itself.
      python3 -c "
      import os, socket
      os.setuid(65534)
      connection = socket.socket(socket.AF_UNIX)
      connection.connect('\\0kvo-safety-heap-$pid')
      print(connection.recv(100).decode())"
      """
    )
    #expect(
      run.output == """
        kvo-audit: process PID: the process belongs to user 0: only that user and root may read its memory
        refused: it belongs to another user
        ended with 0
        ready
        handled 0

        """
    )
  }

  @Test("clients that send nothing or the wrong, and children, hinder nobody")
  func clients() throws {
    let run = try run(
      "call",
      """
      left() { ls /proc/$pid/fd | wc -l; pgrep -cP $pid; }
      left > before
      python3 -c "
      import socket
      address = '\\0kvo-safety-heap-$pid'
      for sent in [b'', b'wrong request', b'snapshot\\n']:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(address)
        connection.send(sent)
        connection.close()
      connection = socket.socket(socket.AF_UNIX)
      connection.connect(address)
      connection.send(b'snapshot\\n')
      print(connection.recv(7).decode())"
      $audit heap --pid $pid | grep -c RequestRoot
      for number in 1 2 3; do $audit heap --pid $pid > /dev/null; done
      # Its client has the whole answer before the process closes the connection.
      until left | cmp -s before - || [ $SECONDS -ge 60 ]; do sleep 0.02; done
      left | diff before - && echo "nothing is left"
      """
    )
    #expect(
      run.output == """
        KVOHEAP
        1
        nothing is left
        ended with 0
        ready
        handled 0

        """
    )
  }

  @Test(
    "a process that was root when it began to listen is asked, too",
    .enabled(if: getuid() == 0)
  )
  func rightsGivenUp() throws {
    let run = try CommandRun(
      shell: #"""
        cat > server.py <<'PYTHON'
        import os, socket
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"\0kvo-safety-heap-{os.getpid()}")
        listener.listen()
        os.setuid(65534)
        print("ready", flush=True)
        peer, _ = listener.accept()
        peer.recv(100)
        peer.sendall(b"refused: it is busy")
        peer.close()
        PYTHON
        python3 server.py > out & pid=$!
        until grep -q ready out; do sleep 0.02; done
        $audit heap --pid $pid 2>&1 | sed "s/$pid/PID/"
        kill $pid 2> /dev/null
        true
        """#,
      in: folder.url
    )
    #expect(
      run.output == "kvo-audit: process PID: the process takes no snapshot: it is busy\n"
    )
  }

  /// A process of another user, which root asks, may answer anything.
  @Test("an answer that is not a snapshot is not read to its end")
  func endlessAnswer() throws {
    let run = try CommandRun(
      shell: #"""
        cat > server.py <<'PYTHON'
        import os, socket
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"\0kvo-safety-heap-{os.getpid()}")
        listener.listen()
        open("ready", "w").close()
        for answer in (b"x" * (1 << 26), b"KVOHEAP" + b"x" * (1 << 26), b"refused: " + b"no " * (1 << 25)):
            peer, _ = listener.accept()
            peer.recv(100)
            try:
                peer.sendall(answer)
                print("read to its end", flush=True)
            except BrokenPipeError:
                pass
            peer.close()
        PYTHON
        python3 server.py & pid=$!
        until [ -e ready ]; do sleep 0.02; done
        for _ in 1 2 3; do $audit heap --pid $pid 2>&1 | sed "s/$pid/PID/" | cut -c 1-70; done
        """#,
      in: folder.url
    )
    #expect(
      run.output == """
        kvo-audit: process PID: is not a heap snapshot: it does not begin with
        kvo-audit: process PID: is not a heap snapshot: it does not begin with
        kvo-audit: process PID: the process takes no snapshot: no no no no no\u{20}

        """
    )
  }

  @Test("a message that nobody reads does not end the program, and does nothing on a terminal")
  func messages() throws {
    let probe = try ProgramRun.built("RetentionProbe").path
    let run = try CommandRun(
      shell: #"""
        export KVO_SAFETY_HEAP=. KVO_SAFETY_HEAP_SIGNAL=$'\e[31m'
        { sleep 0.3; '\#(probe)' requests environment < /dev/null 2>&1 > out; echo "ended with $?" >> out; } | true
        cat out
        '\#(probe)' requests environment < /dev/null 2>&1 | grep HEAP
        """#,
      in: folder.url
    )
    #expect(
      run.output == #"""
        ready
        handled 0
        ended with 0
        KVOSafety: no heap snapshots are taken: KVO_SAFETY_HEAP_SIGNAL is "\u{1b}[31m", and must be USR1, USR2 or a number

        """#
    )
  }
}
