import Foundation
import TestSupport
import Testing

/// `Scripts/install`, which `make install` and `make uninstall` call with what they built.
@Suite("Installing kvo-audit") struct InstallTests {
  private static let files = [
    "bin/kvo-audit", "lib/libKVOSafetyPreload.so", "libexec/kvo-audit-serve",
    "share/bash-completion/completions/kvo-audit",
    "share/fish/vendor_completions.d/kvo-audit.fish", "share/man/man1/kvo-audit.1",
    "share/zsh/site-functions/_kvo-audit",
  ]

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Runs a script in which `$install` is the installer, and `built` has a tool and a library.
  private func shell(_ script: String) throws -> CommandRun {
    try CommandRun(
      shell: """
        install='\(ProgramRun.package.path)/Scripts/install'
        mkdir built
        ln -s "$audit" built/kvo-audit
        ln -s "$audit-serve" built/kvo-audit-serve
        touch built/libKVOSafetyPreload.so
        \(script)
        """,
      in: folder.url
    )
  }

  @Test("puts everything where a system looks for it, and removes it again")
  func files() throws {
    let run = try shell(
      """
      prefix="$PWD/a package/usr"
      "$install" built "$prefix" && (cd "$prefix"; find . -type f | sort | cut -c 3-)
      # Over what is there, while it runs.
      "$prefix/bin/kvo-audit" - < <("$install" built "$prefix" && echo '{"event":"exit","status":0}') \
        | tail -n 1
      touch "$prefix/bin/other"
      "$install" --remove "$prefix" && (cd "$prefix"; find . -type f)
      "$install" --remove "$prefix"; echo $?
      """
    )
    #expect(
      run.output == Self.files.joined(separator: "\n") + """

        SUMMARY: 0 errors, 0 warnings in 1 event from 1 process (0 observations live at the end)
        ./bin/other
        0

        """
    )
    #expect(
      run.complaint == String(repeating: "Installed into \(folder.path)/a package/usr.\n", count: 2)
    )
  }

  @Test("reports a missing library or server, and installs the rest")
  func withoutLibrary() throws {
    let run = try shell(
      "rm built/lib* built/*-serve; \"$install\" built \"$PWD/usr\" && find usr -type f | wc -l"
    )
    #expect(run.output == "5\n")
    #expect(
      run.complaint.hasPrefix(
        "kvo-audit-serve was not built: kvo-audit watch --serve will say so.\n"
          + "libKVOSafetyPreload.so was not built: Objective-C programs cannot be"
      )
    )
  }

  @Test("without a tool nothing is installed, and wrong usage is reported")
  func refusals() throws {
    let run = try shell(
      """
      rm built/kvo-audit
      "$install" built "$PWD/usr" 2>/dev/null || echo $?; ls usr 2>/dev/null
      "$install"; echo $?
      """
    )
    #expect(run.output == "1\n64\n")
    #expect(run.complaint.contains("Scripts/install BINARIES PREFIX"))
  }

  @Test("shells accept the completions, roff the manual, which has every command and option")
  func contents() throws {
    let run = try shell(
      """
      "$install" built "$PWD/usr" 2>/dev/null
      bash -n usr/share/bash-completion/completions/kvo-audit && echo bash
      head -n 1 usr/share/zsh/site-functions/_kvo-audit
      grep -c 'complete -c .*kvo-audit' usr/share/fish/vendor_completions.d/kvo-audit.fish | sed 's/^[1-9].*/fish/'
      page=usr/share/man/man1/kvo-audit.1
      ! command -v groff >/dev/null || groff -k -ww -man -Tutf8 $page 2>&1 >/dev/null
      sed -n 's/^\\.SH "kvo-audit \\(.*\\)"/\\1/p' $page | tr '\\n' ' '
      for option in --fail-on --format --contain --observe-only --output --profile --serve --restore; do
        grep -q -e "^  ${option//-/\\\\\\\\-}" $page || echo "$option is missing"
      done
      """
    )
    let completions = "bash\n#compdef kvo-audit\nfish\n"
    #expect(run.output.hasPrefix(completions), "\(run.output)")
    // Names of commands, and no complaint.
    let page = run.output.dropFirst(completions.count)
    #expect(page.wholeMatch(of: #/(?:[a-z][a-z-]* )+/#) != nil, "\(run.output)")
    let names = Set(page.split(separator: " ").map(String.init))
    #expect(
      names.isSuperset(of: ["anonymize", "audit", "convert", "explain", "record", "validate"])
    )
  }
}
