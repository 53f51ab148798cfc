/// Gives other names for names.
protocol NameMapping {
  /// What replaces `text`; the same each time.
  mutating func mapped(_ text: String, as role: NameRole) -> String
}
