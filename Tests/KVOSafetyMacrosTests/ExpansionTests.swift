#if Macros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("What the macros expand to")
struct ExpansionTests {
  @Test("a final class gets a registrar, its table, the conformance, and accessors that notify")
  func finalClass() {
    expectExpansion(
      of: """
        @KeyValueObservable
        public final class Account {
          public private(set) var balance = 0.0
          let number: Int
          static var count = 0
        }
        """,
      as: """
        public final class Account {
          @KVOSafety._KeyValueStored
          public private(set) var balance = 0.0
          let number: Int
          static var count = 0

          public let observationRegistrar = KVOSafety.ObservationRegistrar()

          public static let observableKeys = KVOSafety.ObservableKeyTable(
            KVOSafety.ObservableKey("balance", \\Account.balance),
            KVOSafety.ObservableKey("number", \\Account.number)
          )
        }

        extension Account: KVOSafety.KeyValueObservable {
        }
        """
    )
  }

  @Test("a class that can be subclassed makes a table for each subclass that asks")
  func openClass() {
    expectExpansion(
      of: """
        @KeyValueObservable
        open class Vehicle {
          let wheelCount = 4
        }
        """,
      as: """
        open class Vehicle {
          let wheelCount = 4

          public let observationRegistrar = KVOSafety.ObservationRegistrar()

          open class var observableKeys: KVOSafety.ObservableKeyTable {
            .shared(by: Self.self, declaredBy: Vehicle.self) {
              _observableKeys(of: Self.self)
            }
          }

          private static func _observableKeys<_Root: Vehicle>(of root: _Root.Type) \
        -> KVOSafety.ObservableKeyTable {
            KVOSafety.ObservableKeyTable(
              KVOSafety.ObservableKey("wheelCount", \\_Root.wheelCount)
            )
          }
        }

        extension Vehicle: KVOSafety.KeyValueObservable {
        }
        """
    )
  }

  @Test("a subclass uses its superclass's registrar and adds to its table")
  func subclass() {
    expectExpansion(
      of: """
        @KeyValueObservable
        class Car: Vehicle {
          override var wheelCount: Int { 3 }
        }
        """,
      as: """
        class Car: Vehicle {
          override var wheelCount: Int { 3 }

          override class var observableKeys: KVOSafety.ObservableKeyTable {
            .shared(by: Self.self, declaredBy: Car.self) {
              _observableKeys(of: Self.self, inheriting: super.observableKeys)
            }
          }

          private static func _observableKeys<_Root: Car>(of root: _Root.Type, \
        inheriting base: KVOSafety.ObservableKeyTable) \
        -> KVOSafety.ObservableKeyTable {
            KVOSafety.ObservableKeyTable(
              inheriting: base,
              KVOSafety.ObservableKey("wheelCount", \\_Root.wheelCount, hasOwnGetter: true)
            )
          }
        }
        """,
      conforms: true
    )
  }

  @Test("a final subclass names its own key paths")
  func finalSubclass() {
    expectExpansion(
      of: """
        @KeyValueObservable
        final class Car: Vehicle {
          let seatCount = 5
        }
        """,
      as: """
        final class Car: Vehicle {
          let seatCount = 5

          override class var observableKeys: KVOSafety.ObservableKeyTable {
            .shared(by: Self.self, declaredBy: Car.self) {
              KVOSafety.ObservableKeyTable(
                inheriting: super.observableKeys,
                KVOSafety.ObservableKey("seatCount", \\Car.seatCount)
              )
            }
          }
        }
        """,
      conforms: true
    )
  }

  @Test("the attributes of a property are in the table")
  func keys() {
    expectExpansion(
      of: """
        @KeyValueObservable
        final class Account {
          let `default` = 1
          @KeyValue(.ignored) var cache = 0
          @KeyValue(.manual) var rate = 1
          @KeyValue(affectedBy: "rate", "default") var text: String { "" }
          @KeyValue(.manual, affectedBy: "text") var long: String { get async { "" } }
        }
        """,
      as: """
        final class Account {
          let `default` = 1
          @KeyValue(.ignored) var cache = 0
          @KeyValue(.manual) var rate = 1
          @KeyValue(affectedBy: "rate", "default") var text: String { "" }
          @KeyValue(.manual, affectedBy: "text") var long: String { get async { "" } }

          let observationRegistrar = KVOSafety.ObservationRegistrar()

          static let observableKeys = KVOSafety.ObservableKeyTable(
            KVOSafety.ObservableKey("default", \\Account.`default`),
            KVOSafety.ObservableKey("rate", \\Account.rate, isManual: true),
            KVOSafety.ObservableKey("text", \\Account.text, affectedBy: ["rate", "default"])
          )
        }

        extension Account: KVOSafety.KeyValueObservable {
        }
        """
    )
  }

  @Test("a property that notifies when it differs compares, and is not changed in place")
  func whenDifferent() {
    expectExpansion(
      of: """
        final class Account {
          @_KeyValueStored @KeyValue(.whenDifferent) private(set) var name: String
        }
        """,
      as: """
        final class Account {
          @KeyValue(.whenDifferent) private(set) var name: String {
            @storageRestrictions(initializes: _name)
            init(initialValue) {
              _name = initialValue
            }
            get {
              return _name
            }
            set {
              guard observationRegistrar.wasEverObserved, observationRegistrar.isChange(from: _name, to: newValue) else {
                _name = newValue
                return
              }
              @inline(never)
              func change() {
                observationRegistrar.change(Account._keyOf_name, of: self, value: _name) {
                  _name = newValue
                }
              }
              change()
            }
          }

          private var _name: String

          private static let _keyOf_name = KVOSafety.ObservableKey("name", \\Account.name, onlyWhenDifferent: true)
        }
        """
    )
  }

  @Test("a property keeps its observers, and the attributes of its storage")
  func observers() {
    expectExpansion(
      of: """
        final class Account {
          @_KeyValueStored weak var partner: Account? {
            didSet { print(oldValue) }
          }
        }
        """,
      as: """
        final class Account {
          weak var partner: Account? {
            didSet { print(oldValue) }
            @storageRestrictions(initializes: _partner)
            init(initialValue) {
              _partner = initialValue
            }

            get {
              return _partner
            }

            set {
              guard observationRegistrar.wasEverObserved else {
                _partner = newValue
                return
              }
              @inline(never)
              func change() {
                observationRegistrar.change(Account._keyOf_partner, of: self, value: _partner) {
                  _partner = newValue
                }
              }
              change()
            }

            _modify {
              guard observationRegistrar.wasEverObserved else {
                yield &_partner
                return
              }
              observationRegistrar.willChange(Account._keyOf_partner, of: self)
              defer {
                observationRegistrar.didChange(Account._keyOf_partner, of: self)
              }
              yield &_partner
            }
          }

          private weak var _partner: Account? {
              didSet {
                print(oldValue)
              }
            }

          private static let _keyOf_partner = \
        KVOSafety.ObservableKey("partner", \\Account.partner, isWeak: true)
        }
        """
    )
  }

  @Test("lazy and wrapped properties get observers")
  func indirect() {
    expectExpansion(
      of: """
        final class Account {
          @_KeyValueNotifying lazy var statement = "none"
        }
        """,
      as: """
        final class Account {
          lazy var statement = "none" {
            willSet {
              willChangeValue(forKey: "statement")
            }
            didSet {
              didChangeValue(forKey: "statement")
            }
          }
        }
        """
    )
  }

  @Test("a generic class asks its table for the key")
  func generic() {
    expectExpansion(
      of: """
        final class Box<Element> {
          @_KeyValueStored var value: Element
        }
        """,
      as: """
        final class Box<Element> {
          var value: Element {
            @storageRestrictions(initializes: _value)
            init(initialValue) {
              _value = initialValue
            }
            get {
              return _value
            }
            set {
              guard observationRegistrar.wasEverObserved else {
                _value = newValue
                return
              }
              @inline(never)
              func change() {
                observationRegistrar.change(Box._keyOf_value, of: self, value: _value) {
                  _value = newValue
                }
              }
              change()
            }
            _modify {
              guard observationRegistrar.wasEverObserved else {
                yield &_value
                return
              }
              observationRegistrar.willChange(Box._keyOf_value, of: self)
              defer {
                observationRegistrar.didChange(Box._keyOf_value, of: self)
              }
              yield &_value
            }
          }

          private var _value: Element

          private static var _keyOf_value: KVOSafety.ObservableKey {
            observableKeys["value"] ?? KVOSafety.ObservableKey("value", \\Box.value)
          }
        }
        """
    )
  }

  @Test("a property that is unavailable everywhere is not a key")
  func unavailable() {
    expectExpansion(
      of: """
        @KeyValueObservable final class Account {
          @available(*, unavailable) var gone: Int { 0 }
          @available(macOS 99, *) var later: Int { 0 }
        }
        """,
      as: """
        final class Account {
          @available(*, unavailable) var gone: Int { 0 }
          @available(macOS 99, *) var later: Int { 0 }

          let observationRegistrar = KVOSafety.ObservationRegistrar()

          static let observableKeys = KVOSafety.ObservableKeyTable(
            KVOSafety.ObservableKey("later", \\Account.later)
          )
        }

        extension Account: KVOSafety.KeyValueObservable {
        }
        """
    )
  }

  @Test("the name of a key path has its properties with dots between")
  func names() {
    expectExpansion(
      of: #"let names = [#keyPathName(\Account.owner?.name), #keyPathName(account, \.`default`!)]"#,
      as: #"let names = ["owner.name", "default"]"#
    )
  }

  @Test("a class in another type, or in a module, is not part of the name of a key path")
  func namesInTypes() {
    expectExpansion(
      of: #"let names = [#keyPathName(\Bank.Vault<Int>.owner?.name), #keyPathName(\Account.URL)]"#,
      as: """
        let names = [KVOSafety._keyPathName("owner.name", of: Bank.Vault<Int>.self), "URL"]
        """
    )
  }
}
#endif
