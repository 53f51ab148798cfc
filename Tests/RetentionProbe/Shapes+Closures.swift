import KVORetention

extension Shape {
  /// Closures, by what they capture and how.
  static let closures: [Shape] = [
    Shape(
      "a token's handler",
      "ViewModel.observation → Token.handler → closure capture of ViewModel → ViewModel",
      ViewModel.init
    ) { root, other in root.observation = Token { other.poke() } },
    Shape("a weak capture", nil, ViewModel.init) { root, other in
      root.observation = Token { [weak other] in other?.poke() }
    },
    Shape("an unowned capture", nil, ViewModel.init) { root, other in
      kept.keep(other)
      root.observation = Token { [unowned other] in other.poke() }
    },
    Shape("an unowned(unsafe) capture", nil, ViewModel.init) { root, other in
      root.observation = Token { [unowned(unsafe) other] in other.poke() }
    },
    Shape("a handler that was taken out", nil, ViewModel.init) { root, other in
      root.observation = Token { other.poke() }
      root.observation?.handler = nil
    },
    Shape(
      "a method of an object",
      "ViewModel.observation → Token.handler → closure capture of ViewModel → ViewModel",
      ViewModel.init
    ) { $0.observation = Token($1.poke) },
    Shape(
      "weak and strong captures in one closure",
      "Holder.action → closure capture of Box → Box.value → Holder",
      Holder.init
    ) { root, other in
      let box = Box(other)
      root.action = { [weak other, box] in
        use(other)
        use(box)
      }
    },
    Shape("unowned and weak captures beside a strong one of another", nil, Holder.init) {
      root,
      other in
      let box = Box(nil)
      kept.keep(other)
      root.action = { [unowned other, weak peer = other, box] in
        use(other)
        use(peer)
        use(box)
      }
    },
    Shape(
      "an unowned capture of a protocol before a strong one",
      "Holder.action → closure capture of Holder → Holder",
      Holder.init
    ) { root, other in
      let drawable: any Drawable = Box(nil)
      kept.keep(drawable)
      let number = root.count
      root.action = { [unowned drawable] in
        use(drawable)
        use(other)
        use(number)
      }
    },
    Shape(
      "a weak capture of a protocol before a strong one",
      "Holder.action → closure capture of Holder → Holder",
      Holder.init
    ) { root, other in
      let drawable: any Drawable = Box(nil)
      root.action = { [weak drawable] in
        use(drawable)
        use(other)
      }
    },
    Shape(
      "a closure in a closure",
      "Holder.action → closure capture of a closure → closure capture of a closure → "
        + "closure capture of Holder → Holder",
      Holder.init
    ) { root, other in
      root.action = after(after { use(other) })
    },
    Shape("a closure in a closure, weak inside", nil, Holder.init) { root, other in
      root.action = after(after { [weak other] in use(other) })
    },
    Shape(
      "a captured variable",
      "Holder.action → closure capture of Optional<Holder> → Holder",
      Holder.init
    ) { root, other in
      var variable: Holder? = other
      root.action = {
        use(variable)
        variable = nil
      }
    },
    Shape("a captured variable that is nil", nil, Holder.init) { root, other in
      var variable: Holder? = other
      root.action = {
        use(variable)
        variable = nil
      }
      variable = nil
      use(variable)
    },
    Shape("a captured weak variable", nil, Holder.init) { root, other in
      weak var variable: Holder? = other
      root.action = {
        use(variable)
        variable = nil
      }
    },
    Shape(
      "a variable that two closures share",
      "Holder.action → closure capture of Optional<Holder> → Holder",
      Holder.init
    ) { root, other in
      var variable: Holder? = other
      root.action = { use(variable) }
      root.sendable = nil
      root.anything = { variable = nil } as () -> Void
    },
    Shape(
      "a captured struct",
      "Holder.action → closure capture of Big.owner → Holder",
      Holder.init
    ) { root, other in
      let value = Big(owner: other)
      root.action = { use(value) }
    },
    Shape(
      "a captured existential",
      "Holder.action → closure capture of Owning.owner → Holder",
      Holder.init
    ) { root, other in
      let value: any Owning = root.count < 0 ? Small(owner: other) : Big(owner: other)
      let number = root.count
      root.action = { use((value, number)) }
    },
    Shape(
      "captured Any behind a byte",
      "Holder.action → closure capture of Any → Holder",
      Holder.init
    ) { root, other in
      let byte = Int8(truncatingIfNeeded: root.count)
      let value: Any = root.count < 0 ? 1 : other
      root.action = { use((byte, value)) }
    },
    Shape(
      "a captured array",
      "Holder.action → closure capture of Array<Holder>[1] → Holder",
      Holder.init
    ) { root, other in
      let models = [Holder(), other]
      let number = root.count
      root.action = { use((models, number)) }
    },
    Shape(
      "a captured metatype",
      "Holder.action → closure capture of Holder → Holder",
      Holder.init
    ) { root, other in
      let type: Holder.Type = root.count < 0 ? Holder.self : type(of: other)
      root.action = { use((type, other)) }
    },
    Shape(
      "a captured tuple",
      "Holder.action → closure capture of (Int, Holder).1 → Holder",
      Holder.init
    ) { root, other in
      let tuple = (root.count, other)
      root.action = { use(tuple) }
    },
    Shape(
      "a closure with arguments",
      "Holder.function → closure capture of Holder → Holder",
      Holder.init
    ) { root, other in root.function = { other.count + $0 + $1.count } },
    Shape(
      "a function that was reabstracted",
      "Holder.function → closure capture of a closure → closure capture of a closure → "
        + "closure capture of Holder → Holder",
      Holder.init
    ) { root, other in
      let inner = reabstracted { (holder: Holder) -> Int in other.count + holder.count }
      root.function = { _, holder in inner(holder) }
    },
    Shape(
      "an async closure",
      "Holder.asynchronous → closure capture of Holder → Holder",
      Holder.init
    ) { root, other in root.asynchronous = { other.poke() } },
    Shape("an async closure, weak", nil, Holder.init) { root, other in
      root.asynchronous = { [weak other] in other?.poke() }
    },
    Shape(
      "a @Sendable closure",
      "Holder.sendable → closure capture of Holder → Holder",
      Holder.init
    ) { root, other in root.sendable = { other.poke() } },
    Shape(
      "a @MainActor closure",
      "Holder.onMain → closure capture of Holder → Holder",
      Holder.init
    ) { root, other in root.onMain = { other.poke() } },
    Shape(
      "a throwing closure",
      "Holder.throwing → closure capture of Holder → Holder",
      Holder.init
    ) { root, other in root.throwing = { other } },
  ]

  /// Generic types, and closures in generic code.
  static let generics: [Shape] = [
    Shape(
      "a generic class's value",
      "GenericNode<AnyObject>.value → GenericNode<AnyObject>",
      { GenericNode<AnyObject>(nil) },
      { $0.value = $1 }
    ),
    Shape(
      "a generic superclass's value",
      "GenericList<AnyObject>.value[0] → GenericList<AnyObject>",
      { GenericList<AnyObject>(nil) },
      { $0.value = [$1] }
    ),
    Shape(
      "a generic superclass of another parameter",
      "Swapped<Int, AnyObject>.value → Swapped<Int, AnyObject>",
      { Swapped<Int, AnyObject>(nil) },
      { $0.value = $1 }
    ),
    Shape(
      "a generic subclass's closure",
      "GenericList<Int>.callback → closure capture of a closure → "
        + "closure capture of GenericList<Int> → GenericList<Int>",
      { GenericList<Int>(nil) },
      { root, other in root.callback = { use(($0, other)) } }
    ),
    Shape(
      "an associated type",
      "Associated<Holding>.items[0] → Holder.object → Associated<Holding>",
      { Associated<Holding>() },
      { root, other in
        let holder = Holder()
        holder.object = other
        root.items = [holder]
      }
    ),
    Shape(
      "a generic capture beside an object",
      "Holder.action → closure capture of AnyObject → Holder",
      Holder.init
    ) { root, other in root.action = generic(3 as Int16, other) },
    Shape("a generic capture", "Holder.action → closure capture of Holder → Holder", Holder.init) {
      root,
      other in root.action = generic(other, Box(nil))
    },
    Shape(
      "captures of other types before it, by the same generic function",
      "Holder.anything[3] → closure capture of a closure → closure capture of Holder → Holder",
      Holder.init
    ) { root, other in
      root.anything =
        [
          generic({ use(1) } as () -> Void, Box(nil)), generic(1 as Int8, Box(nil)),
          generic("text", Box(nil)), generic(other, Box(nil)),
        ] as [() -> Void]
    },
    Shape(
      "a generic capture of a struct",
      "Holder.action → closure capture of Big.owner → Holder",
      Holder.init
    ) { root, other in root.action = generic(Big(owner: other), Box(nil)) },
    Shape(
      "two generic captures",
      "Holder.action → closure capture of (Int8, Holder).1 → Holder",
      Holder.init
    ) { root, other in root.action = genericPair(nil as Big?, (1 as Int8, other)) },
    Shape(
      "a capture of an associated type",
      "Holder.action → closure capture of Array<Holder>[0] → Holder",
      Holder.init
    ) { root, other in
      root.action = associated(Holding(item: Holder()), [other])
    },
    Shape(
      "a generic method's captures",
      "Holder.action → closure capture of GenericNode<Holder> → GenericNode<Holder>.value → Holder",
      Holder.init
    ) { root, other in
      root.action = GenericNode<Holder>(other).action(1 as Int8)
    },
    Shape(
      "a generic method's captures, of a subclass with other parameters",
      "Holder.action → closure capture of GenericNode<Holder> → Swapped<Int16, Holder>.value → Holder",
      Holder.init
    ) { root, other in
      let node = Swapped<Int16, Holder>(other)
      root.action = node.action(1 as Int8)
    },
    Shape(
      "a generic method's captures of known size",
      "Holder.action → closure capture of GenericNode<Holder> → GenericNode<Holder>.value → Holder",
      Holder.init
    ) { root, other in root.action = GenericNode<Holder>(other).counting(1) },
    Shape(
      "a generic method's captures of known size, of a subclass with other parameters",
      "Holder.action → closure capture of GenericNode<Holder> → Swapped<Int16, Holder>.value → Holder",
      Holder.init
    ) { root, other in root.action = Swapped<Int16, Holder>(other).counting(1) },
    Shape(
      "a generic method's captures of known size, in a closure with arguments",
      "Holder.function → closure capture of GenericNode<Holder> → GenericNode<Holder>.value → Holder",
      Holder.init
    ) { root, other in root.function = GenericNode<Holder>(other).adding(1) },
    Shape(
      "a generic method's captures beside objects of other parameters, in a closure with arguments",
      "Holder.function → closure capture of Holder → Holder",
      Holder.init
    ) { root, other in
      root.function = GenericNode<Holder>(nil)
        .keeping(other, GenericNode<Int>(1), GenericNode<Int>(2))
    },
  ]
}
