import KVORules
import KVOTrace
import Testing

@testable import KVOLogTools

@Suite("Names that are replaced") struct NameAnonymizerTests {
  private static func anonymizer(_ key: String = "0123456789abcdef") throws -> NameAnonymizer {
    NameAnonymizer(key: try #require(AnonymizationKey(Array(key.utf8))))
  }

  /// `text` with ‹…› around each part that is replaced.
  private static func marked(_ text: String, _ role: NameRole) throws -> String {
    var names = try anonymizer()
    let mapped = names.mapped(text, as: role)
    let marks = names.pseudonyms.originals.mapValues { "‹\($0)›" }
    var restorer = NameRestorer(PseudonymMap(names: marks))
    return restorer.mapped(mapped, as: role)
  }

  @Test(
    "are the parts of a text that no one else has",
    arguments: [
      ("Account", NameRole.name, "‹Account›"),
      ("owner.name", .name, "‹owner›.‹name›"),
      ("Bank.Box<Array<Account>, Int>?", .name, "‹Bank›.‹Box›<Array<‹Account›>, Int>?"),
      ("NSKVONotifying_Account", .name, "NSKVONotifying_‹Account›"),
      ("GSKVOAccount", .name, "GSKVO‹Account›"),
      ("NSObject", .name, "NSObject"),
      ("NSLedger", .name, "NS‹Ledger›"),
      ("ownerContext#2", .name, "‹ownerContext›#2"),
      ("0x55d0C0de", .name, "0x55d0C0de"),
      ("café🏦", .name, "‹café🏦›"),
      ("capture of self", .name, "capture of self"),
      ("Screen.deinit", .code, "‹Screen›.deinit"),
      ("Screen.init(account:)", .code, "‹Screen›.init(‹account›:)"),
      ("-[Screen dealloc] (Screen.m:41)", .code, "-[‹Screen› dealloc] (‹Screen›.m:41)"),
      ("-[NSObject(Bank) pay:]", .code, "-[NSObject(‹Bank›) ‹pay›:]"),
      ("closure #1 in Screen.show()", .code, "closure #1 in ‹Screen›.‹show›()"),
      ("partial apply for cloneAccount()", .code, "partial apply for clone‹Account›()"),
      ("_NSSetIntValueAndNotify", .code, "_NSSetIntValueAndNotify"),
      ("Bank_main", .code, "‹Bank›_main"),
      ("/home/eve/Bank/Screen.swift", .code, "/home/‹eve›/‹Bank›/‹Screen›.swift"),
      (
        "@__swiftmacro_4Bank7balance_KeyValueStoredfMa_.swift", .code,
        "@__swiftmacro_‹4Bank7balance›_KeyValueStored‹fMa_›.swift"
      ),
      ("/usr/lib/swift/linux/libswiftCore.so", .image, "/usr/lib/swift/linux/libswiftCore.so"),
      ("/lib64/ld-linux-x86-64.so.2", .image, "/lib64/ld-linux-x86-64.so.2"),
      ("/home/eve/libBank.so.6", .image, "/home/‹eve›/lib‹Bank›.so.6"),
      ("Call 555 0123 for Eve", .prose, "‹Call› ‹555› ‹0123› for ‹Eve›"),
      ("com.bank.worker-7", .prose, "com.‹bank›.‹worker›-‹7›"),
      ("the log could not be written", .prose, "the log could not be written"),
      ("12 \"apples\"", .opaque, "‹12 \"apples\"›"),
      ("", .name, ""),
    ]
  )
  func parts(text: String, role: NameRole, marked: String) throws {
    #expect(try Self.marked(text, role) == marked)
  }

  @Test("are the same wherever they stand and whenever they come, under one key")
  func sameKey() throws {
    var first = try Self.anonymizer()
    var second = try Self.anonymizer()
    var other = try Self.anonymizer("another key, sixteen bytes long")
    let account = first.mapped("Account", as: .name)
    _ = second.mapped("Screen", as: .prose)
    #expect(second.mapped("Account", as: .code) == account)
    #expect(first.mapped("Account.pay()", as: .code).hasPrefix("\(account)."))
    #expect(other.mapped("Account", as: .name) != account)
    #expect(account.wholeMatch(of: #/N[0-9a-z]{12}/#) != nil)
    #expect(first.mapped("account", as: .name).wholeMatch(of: #/n[0-9a-z]{12}/#) != nil)
  }

  @Test("keep the words that say that a typed key path has a part without a name")
  func unnamedPart() throws {
    var names = try Self.anonymizer()
    let owner = names.mapped("owner", as: .name)
    let shelf = names.mapped("Shelf", as: .name)
    #expect(
      names.mapped("owner → title → a member of Shelf", as: .name)
        == "\(owner) → \(names.mapped("title", as: .name)) → a member of \(shelf)"
    )
    #expect(names.mapped("a member of String", as: .name) == "a member of String")
  }

  @Test("keep the words by which reports determine whose code a frame is")
  func origins() throws {
    var names = try Self.anonymizer()
    for prefix in SystemNames.symbolPrefixes {
      let symbol = prefix + "Anything"
      #expect(names.mapped(symbol, as: .code).hasPrefix(prefix))
    }
    for starter in SystemNames.starters { #expect(names.mapped(starter, as: .code) == starter) }
    for thunk in SystemNames.thunks {
      #expect(names.mapped(thunk + "(Anything)", as: .code).hasPrefix(thunk))
    }
    for module in SystemNames.modules.union(SystemNames.packageModules) {
      for image in [module, "lib\(module).so", "/a/\(module).framework/\(module)"] {
        let mapped = names.mapped(image, as: .image)
        #expect(SystemNames.hasSystemName(mapped) == SystemNames.hasSystemName(image))
      }
    }
    for image in SystemNames.imagePrefixes.map({ "/x/\($0)more.so" })
      + SystemNames.folders.map({ "\($0)libBank.so" })
    {
      let mapped = names.mapped(image, as: .image)
      #expect(SystemNames.hasSystemName(mapped) == SystemNames.hasSystemName(image), "\(mapped)")
      for folder in SystemNames.folders {
        #expect(mapped.hasPrefix(folder) == image.hasPrefix(folder))
      }
    }
  }

  @Test("no pseudonym is a word of the system's, and none is mistaken for one")
  func pseudonyms() throws {
    var names = try Self.anonymizer()
    for number in 0..<2_000 {
      let name = names.mapped("Name\(number)x", as: .code)
      #expect(!SystemNames.symbolPrefixes.contains(where: name.hasPrefix))
      #expect(names.mapped(name, as: .code) != name)
    }
    #expect(Set(names.pseudonyms.originals.keys).count == 4_000)
  }

  @Test("and build-ids have pseudonyms of their kinds, also if they are spelled alike")
  func buildIDs() throws {
    for roles in [[NameRole.name, .buildID], [.buildID, .name]] {
      var names = try Self.anonymizer()
      let mapped = roles.map { ($0, names.mapped("feed", as: $0)) }
      for (role, pseudonym) in mapped {
        let isOfItsKind =
          role == .name
          ? pseudonym.wholeMatch(of: #/n[0-9a-z]{12}/#) != nil
          : pseudonym.wholeMatch(of: #/[0-9a-f]{32}/#) != nil
        #expect(isOfItsKind, "\(pseudonym)")
        var restorer = NameRestorer(PseudonymMap(names: names.pseudonyms.originals))
        let restored = restorer.mapped(pseudonym, as: role)
        #expect(restored == "feed")
      }
    }
  }

  @Test("are hashed as the authors of SipHash do")
  func vectors() {
    // The first of the published vectors of SipHash-2-4, and one of whole words and a rest.
    let hash = SipHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
    #expect(hash([]) == 0x726f_db47_dd0e_0e31)
    #expect(hash([0]) == 0x74f8_39c5_93dc_67fd)
    #expect(hash(0..<15) == 0xa129_ca61_49be_45e5)
  }
}
