import CElfutils
import Glibc

/// The functions of an ELF symbol table, sorted by address.
///
/// Names are pointers into the file's string table: the table must not outlive its ``ElfFile``.
struct SymbolTable {
  struct Function {
    /// The first address of the function, in file addresses.
    var start: UInt64
    /// Its size in bytes; 0 if the table does not state it, as for hand-written assembly.
    var byteCount: UInt64
    var name: UnsafePointer<CChar>

    /// Whether the name is reserved for the C implementation.
    fileprivate var isReserved: Bool {
      name[0] == CChar(UInt8(ascii: "_")) && name[1] == CChar(UInt8(ascii: "_"))
    }
  }

  /// Whether the table holds the functions that the image does not export, too.
  let isFull: Bool
  private(set) var functions: [Function] = []

  /// Reads the functions of `file` from its section of the given type.
  ///
  /// - Parameters:
  ///   - file: must outlive the table.
  ///   - type: `SHT_SYMTAB` or `SHT_DYNSYM`.
  /// - Complexity: O(n log n) in the number of symbols.
  init(of file: ElfFile, type: Int32) {
    isFull = type == SHT_SYMTAB
    var section: OpaquePointer?
    while let next = elf_nextscn(file.handle, section) {
      section = next
      var header = GElf_Shdr()
      guard gelf_getshdr(next, &header) != nil, header.sh_type == UInt32(type),
        header.sh_entsize > 0, let data = elf_getdata(next, nil)
      else { continue }
      let count = min(header.sh_size / header.sh_entsize, UInt64(Int32.max))
      for index in 0..<Int32(count) {
        var symbol = GElf_Sym()
        guard gelf_getsym(data, index, &symbol) != nil else { break }
        let kind = Int32(symbol.st_info & 15)
        guard kind == STT_FUNC || kind == STT_GNU_IFUNC, symbol.st_shndx != SHN_UNDEF,
          let name = elf_strptr(file.handle, Int(header.sh_link), Int(symbol.st_name)),
          name.pointee != 0
        else { continue }
        functions.append(Function(start: symbol.st_value, byteCount: symbol.st_size, name: name))
      }
    }
    // Among aliases the public name is kept (`pthread_atfork`, not `__pthread_atfork`), then the one that the table
    // names first: it is the definition.
    var order = Array(functions.indices)
    order.sort {
      let (left, right) = (functions[$0], functions[$1])
      return (left.start, left.isReserved ? 1 : 0, $0) < (right.start, right.isReserved ? 1 : 0, $1)
    }
    functions = order.map { functions[$0] }
  }

  /// The mangled name of the function that `address` lies in, or nil.
  ///
  /// A function without a size reaches to the next one.
  ///
  /// - Complexity: O(log n) in the number of functions.
  func name(at address: UInt64) -> UnsafePointer<CChar>? {
    var index = functions.partitionIndex { $0.start > address } - 1
    guard index >= 0 else { return nil }
    let start = functions[index].start
    var best: UnsafePointer<CChar>?
    while index >= 0, functions[index].start == start {
      let function = functions[index]
      if function.byteCount == 0 || address - start < function.byteCount { best = function.name }
      index -= 1
    }
    return best
  }

  /// Where a function begins or ends, ascending: between two of them, ``name(at:)`` has one answer.
  ///
  /// Each once: a linker that folds equal functions gives thousands of names to one address.
  var bounds: [UInt64] {
    var bounds: [UInt64] = []
    for function in functions {
      bounds.append(function.start)
      let (end, overflow) = function.start.addingReportingOverflow(function.byteCount)
      if !overflow { bounds.append(end) }
    }
    bounds.sort()
    var distinct: [UInt64] = []
    for bound in bounds where bound != distinct.last { distinct.append(bound) }
    return distinct
  }
}
