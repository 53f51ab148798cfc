import ArgumentParser
import KVOAudit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `kvo-audit mcp`: answers coding agents.
struct MCPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Answer coding agents on standard input and output (Model Context Protocol).",
    usage: "kvo-audit mcp [<options>]",
    discussion: """
      An agent's client starts this and asks: audit, finding, source, cycle, census, growth, diff, explain, \
      verify_fix. Answers are short texts; a finding is named by its signature, which stays the same from run to \
      run. It reads the files that the client names, the binaries that their logs name, and the source files that \
      their stacks lead to; it writes nothing but indices of symbols, as "kvo-audit help index" explains. It ends \
      with its standard input.

      EXAMPLE
        {"mcpServers": {"kvo-audit": {"command": "kvo-audit", "args": ["mcp"]}}}
      """
  )

  @OptionGroup
  var modules: ModuleOptions

  func run() throws {
    let server = MCPServer(tools: MCPTools(appModules: modules.appModules))
    // A client may have left it non-blocking, and then the end would be read between two requests.
    ByteSource.makeBlocking(STDIN_FILENO)
    while let line = readLine() {
      guard let answer = server.answer(to: line) else { continue }
      try StandardStreams.deliver(answer)
    }
  }
}
