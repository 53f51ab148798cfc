/// Gives other names for names.
protocol NameMapping {
  /// What stands for `text`; the same each time.
  mutating func mapped(_ text: String, as role: NameRole) -> String
}
