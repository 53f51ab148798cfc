private struct WeakBox {
  weak var root: GeneratedRoot?
}

private struct StrongBox {
  var number: Int8 = 1
  var root: GeneratedRoot?
}

/// Types that closures alone have: optimized code drops what makes their metadata.
private enum CapturedPayload {
  case none
  case root(GeneratedRoot)
  case number(Int)
}

private enum CapturedMark: CaseIterable {
  case first
  case second
  case third
}

private struct CapturedPair<First, Second> {
  var first: First
  var second: Second
}

private struct CapturedNest {
  var mark: CapturedMark?
  var payload: CapturedPayload
  var pair: CapturedPair<Int32, GeneratedRoot?>
}

private struct WeakNest {
  var mark: CapturedMark?
  weak var root: GeneratedRoot?
  var pair: CapturedPair<Int32, Int>
}

private protocol Rooted { func poke() }
extension GeneratedRoot: Rooted {}

extension Terminal {
  /// Closures have their captures described, and these are in concrete types on purpose: generic code is what
  /// the carriers are.
  static let all: [Terminal] = [
    Terminal(name: "an object", strong: { $0 }, weak: { WeakBox(root: $0) }),
    Terminal(name: "a struct", strong: { StrongBox(root: $0) }, weak: { WeakBox(root: $0) }),
    Terminal(name: "an Optional", strong: { Optional($0) as Any }, weak: { WeakBox(root: $0) }),
    Terminal(
      name: "any protocol",
      strong: { [$0 as any Rooted] },
      weak: { root in { [weak root] in use(root) } as () -> Void }
    ),
    Terminal(
      name: "AnyObject in a tuple",
      strong: { (UInt8(1), $0 as AnyObject) },
      weak: { (UInt8(1), WeakBox(root: $0)) }
    ),
    Terminal(
      name: "a closure",
      strong: { root in { root.poke() } as () -> Void },
      weak: { root in { [weak root] in root?.poke() } as () -> Void }
    ),
    Terminal(
      name: "a closure with two captures",
      strong: { root in { [number = root.number] in use((root, number)) } as () -> Void },
      weak: { root in { [weak root, number = 1] in use((root, number)) } as () -> Void }
    ),
    Terminal(
      name: "an unowned capture",
      strong: { root in { [peer = root] in use(peer.number) } as () -> Void },
      weak: { root in { [unowned root] in use(root.number) } as () -> Void }
    ),
    Terminal(
      name: "a method",
      strong: { $0.poke as () -> Void },
      weak: { root in { [weak root] in root?.poke() } as () -> Void }
    ),
    Terminal(
      name: "a captured enum",
      strong: { root in
        let payload = CapturedPayload.root(root)
        return { use(payload) } as () -> Void
      },
      weak: { root in
        let payload = CapturedPayload.number(root.number)
        return { [weak root] in use((payload, root)) } as () -> Void
      }
    ),
    Terminal(
      name: "a captured Optional of an enum",
      strong: { root in
        let mark = CapturedMark.allCases.randomElement()
        return { use((mark, root)) } as () -> Void
      },
      weak: { root in
        let mark = CapturedMark.allCases.randomElement()
        return { [weak root] in use((mark, root)) } as () -> Void
      }
    ),
    Terminal(
      name: "a captured generic struct",
      strong: { root in
        let pair = CapturedPair(first: Int8(root.number), second: root)
        return { use(pair) } as () -> Void
      },
      weak: { root in
        let pair = CapturedPair(first: Int8(root.number), second: WeakBox(root: root))
        return { use(pair) } as () -> Void
      }
    ),
    Terminal(
      name: "captured values in each other",
      strong: { root in
        let nest = CapturedNest(
          mark: .second,
          payload: .number(1),
          pair: CapturedPair(first: 1, second: root)
        )
        return { use(nest) } as () -> Void
      },
      weak: { root in
        let nest = WeakNest(mark: nil, root: root, pair: CapturedPair(first: 1, second: 2))
        return { use(nest) } as () -> Void
      }
    ),
    Terminal(
      name: "a captured variable",
      strong: { root in
        var held: GeneratedRoot? = root
        return {
          use(held)
          held = held ?? nil
        } as () -> Void
      },
      weak: { root in
        weak var held = root
        return {
          use(held)
          held = held ?? nil
        } as () -> Void
      }
    ),
    Terminal(
      name: "a captured Unmanaged",
      strong: { root in
        let unmanaged = Unmanaged.passRetained(root)
        let number = root.number
        return { use((unmanaged, number)) } as () -> Void
      },
      weak: { root in
        let box = WeakBox(root: root)
        let number = root.number
        return { use((box, number)) } as () -> Void
      }
    ),
    Terminal(
      name: "a captured pointer",
      strong: { root in
        let pointer = UnsafeMutablePointer<GeneratedRoot>.allocate(capacity: 1)
        pointer.initialize(to: root)
        let number = root.number
        return { use((pointer, number)) } as () -> Void
      },
      weak: { root in
        let pointer = UnsafeMutablePointer<WeakBox>.allocate(capacity: 1)
        pointer.initialize(to: WeakBox(root: root))
        let number = root.number
        return { use((pointer, number)) } as () -> Void
      }
    ),
    Terminal(
      name: "an asynchronous closure",
      strong: { root in { @Sendable in root.poke() } as @Sendable () async -> Void },
      weak: { root in
        { @Sendable [weak root] in root?.poke() } as @Sendable () async -> Void
      }
    ),
  ]
}
