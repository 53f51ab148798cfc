import Foundation
import Glibc
import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSymbols

/// A small shared library, compiled by the test that asks for it.
struct CFixture {
  static let isAvailable =
    Tool.exists("gcc") && Tool.exists("objcopy") && ["strip", "readelf"].allSatisfy(Tool.exists)

  /// `outer` inlines `middle`, which inlines `inner`; the `nop` of `unlined` stands for line 0, where the
  /// assembler can say so.
  static let source = """
    extern int sink(int);
    static inline __attribute__((always_inline)) int inner(int x) {
      return sink(x + 1);
    }
    static inline __attribute__((always_inline)) int middle(int x) {
      return inner(x * 2) + 3;
    }
    int outer(int x) {
      return middle(x) + 5;
    }
    int plain(int x) {
      return sink(x) + 7;
    }
    static __attribute__((noinline, used)) int hidden(int x) {
      return sink(x) + 9;
    }
    #ifdef UNLINED
    int unlined(int x) {
      x = sink(x);
      __asm__ volatile(".loc 1 0\\n\\tnop");
      return x;
    }
    #endif
    """

  let folder: ScratchFolder
  let path: String

  init(_ options: String..., compiler: String = "gcc") throws {
    folder = try ScratchFolder()
    path = folder.path("fixture.so")
    let source = try folder.file("fixture.c", Self.source)
    // GNU's linker pads a file to whole pages otherwise; that of clang may not know the option.
    let unpadded = compiler == "gcc" ? ["-Wl,-z,noseparate-code"] : []
    let driver = try #require(Tool(compiler))
    try driver.run(
      [
        "-shared", "-fPIC", "-nostdlib", "-O1", "-Wl,--build-id=sha1", "-o", path, source,
      ] + unpadded + options
    )
  }

  var sourcePath: String { folder.path("fixture.c") }

  func module(path: String? = nil, buildID: String? = nil) throws -> Module {
    Module(
      path: path ?? self.path,
      buildID: try buildID ?? ElfFile(path: self.path).buildID,
      loadBias: 0,
      textStart: 0,
      textEnd: .max
    )
  }

  /// The offset of a function of the library, and its size in bytes.
  func function(_ name: String) throws -> Range<UInt64> {
    let file = try ElfFile(path: path)
    let functions = SymbolTable(of: file, type: SHT_SYMTAB).functions
    let function = try #require(functions.first { String(cString: $0.name) == name })
    return function.start..<function.start + function.byteCount
  }

  /// The offset of a section of the library in the file.
  func section(_ name: String) throws -> Range<Int> {
    let listing = try #require(Tool("readelf")).run(["--sections", "--wide", path])
    let line = try #require(listing.split(separator: "\n").first { $0.contains("] \(name) ") })
    let fields = line.split(separator: "]")[1].split(separator: " ")
    let start = try #require(Int(fields[3], radix: 16))
    return start..<start + (try #require(Int(fields[4], radix: 16)))
  }

  /// The distinct answers for every byte of a function, in order.
  func answers(
    for name: String,
    in module: Module,
    by resolver: DwarfFrameResolver = DwarfFrameResolver()
  ) throws -> [[SourceFrame]] {
    var answers: [[SourceFrame]] = []
    for address in try function(name) {
      let frames = resolver.frames(at: address + 1, in: module)
      if !answers.contains(frames) { answers.append(frames) }
    }
    return answers
  }
}
