#if Macros
/// Makes a stored property notify; ``KeyValueObservable()`` adds it.
@attached(
  accessor,
  names: named(init),
  named(get),
  named(set),
  named(_modify)
)
@attached(peer, names: prefixed(_), prefixed(_keyOf_))
public macro _KeyValueStored() =
  #externalMacro(module: "KVOSafetyMacros", type: "KeyValueStoredMacro")

/// Makes a `lazy` or wrapped property notify; ``KeyValueObservable()`` adds it.
@attached(accessor, names: named(willSet), named(didSet))
public macro _KeyValueNotifying() =
  #externalMacro(module: "KVOSafetyMacros", type: "KeyValueNotifyingMacro")

/// Makes the observers that an override adds part of one change; ``KeyValueObservable()`` adds it.
@attached(accessor, names: named(get), named(set))
@attached(peer, names: prefixed(_keyOf_))
public macro _KeyValueOverridden() =
  #externalMacro(module: "KVOSafetyMacros", type: "KeyValueOverriddenMacro")

/// Makes the key of a deprecated property without a warning; ``KeyValueObservable()`` adds it.
@attached(peer, names: prefixed(_deprecatedKeyOf_))
public macro _KeyValueDeprecated() =
  #externalMacro(module: "KVOSafetyMacros", type: "KeyValueDeprecatedMacro")

/// Lets an `init` or `deinit` access the storage of these properties directly; ``KeyValueObservable()`` adds it.
@attached(body)
public macro _KeyValueDirect(_ keys: String...) =
  #externalMacro(module: "KVOSafetyMacros", type: "KeyValueDirectMacro")

/// The name, if `type` is a type; `keyPathName` expands to it where syntax does not tell.
@inlinable
public func _keyPathName(_ name: String, of type: Any.Type) -> String { name }
#endif
