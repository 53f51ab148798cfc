import BenchmarkHarness

/// The cost of walking the objects of a program and finding its retain cycles.
struct RetentionSuite {
  let suite = Suite(
    title: "Retain cycles",
    name: "retention",
    rounds: 5,
    tables: [
      table("In the order of the tree", "ordered", []),
      table("Shuffled in memory", "shuffled", ["shuffled"]),
      mirror,
      drawing,
      types,
    ],
    explanations: Explanations.retention
  )

  private static let nodeCount = 1_000_000

  private static func row(
    _ id: String,
    _ title: String,
    _ kind: Row.Kind,
    _ way: String,
    _ trailing: [String] = [],
    count: Int = nodeCount,
    target: Row.Target? = nil
  ) -> Row {
    Row(
      id,
      title,
      kind,
      .driver(
        .product("RetentionDriver"),
        leading: [way],
        trailing: trailing,
        operations: .fixed(count)
      ),
      target: target
    )
  }

  private static func table(_ title: String, _ id: String, _ trailing: [String]) -> Table {
    let bound = "chase-\(id)"
    return Table(
      title,
      unit: "node",
      remarks: [
        """
        A million nodes of five classes, which hold 400,000 arrays and closures besides. The bound \
        follows the two words of a node that lead to its children and looks at nothing else: not at \
        the arrays and closures, nor at whether it was there before.
        """
      ],
      bound: bound,
      rows: [
        row(bound, "pointer chase", .bound, "chase", trailing),
        row(
          "cycles-\(id)",
          "`findCycles`, there are none",
          .ours,
          "cycles",
          trailing,
          target: .atMost(4, of: bound)
        ),
        row(
          "cyclic-\(id)",
          "`findCycles`, there are some",
          .ours,
          "cyclic",
          trailing,
          target: .atMost(4, of: bound)
        ),
      ]
    )
  }

  private static let drawing = Table(
    "Finding and drawing cycles",
    unit: "node",
    remarks: [
      """
      A thousand rings of a thousand objects each, of which each has a line of its own; and a cycle whose \
      label has a part for each of a million links of a chain of indirect enums. At most 100 ns are wanted.
      """
    ],
    rows: [
      row("rings", "1,000 rings of 1,000", .information, "rings"),
      row("chain", "a chain of 1,000,000 links", .information, "chain"),
    ]
  )

  private static let types = Table(
    "Looking into a type",
    unit: "type",
    remarks: [
      """
      What the first walk of a process takes more than the second, for each type of heap object that it \
      meets: five classes, the storage of arrays and a closure's context, with the structs and enums \
      in them. At most 20 µs are wanted.
      """
    ],
    rows: [row("plans", "a plan", .information, "plans", count: 7)]
  )

  private static let mirror = Table(
    "Against Swift's own reflection",
    unit: "node",
    remarks: ["20,000 nodes. `Mirror` does not see what closures hold."],
    bound: "chase-few",
    rows: [
      row("chase-few", "pointer chase", .bound, "chase", count: 20_000),
      row(
        "cycles-few",
        "`findCycles`",
        .ours,
        "cycles",
        count: 20_000,
        target: .faster(50, than: "mirror")
      ),
      row("mirror", "a walk by `Mirror`", .peer, "mirror", count: 20_000),
    ]
  )
}
