// The forms in which applications have loops over values: each with its correct twin.

extension TaskScreen {
  fileprivate func loop() async {
    for await value in feed.values() { show(value) }
  }

  fileprivate func loopLater(_ values: AsyncStream<Int>) async {
    for await value in values { show(value) }
  }

  fileprivate func delay() async {
    show(1)
    try? await Task.sleep(nanoseconds: 1 << 60)
    show(1)
  }
}

extension TaskForm {
  static let all = loops + structured + delays + waits

  private static let loops: [TaskForm] = [
    TaskForm("a loop that captured self") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = Task { for await value in values { screen.show(value) } }
      } else {
        screen.task = Task { [weak screen] in for await value in values { screen?.show(value) } }
      }
    },
    TaskForm("a loop whose task nobody has", isStored: false) { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        Task { for await value in values { screen.show(value) } }
      } else {
        Task { [weak screen] in for await value in values { screen?.show(value) } }
      }
    },
    TaskForm("a method that loops") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = Task { await screen.loop() }
      } else {
        screen.task = Task { [weak screen] in for await value in values { screen?.show(value) } }
      }
    },
    TaskForm("a weak capture, and a method that loops") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = Task { [weak screen] in await screen?.loop() }
      } else {
        screen.task = Task { [weak screen] in for await value in values { screen?.show(value) } }
      }
    },
    TaskForm("a weak capture, unwrapped before the loop") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = Task { [weak screen] in
          guard let screen else { return }
          for await value in values { screen.show(value) }
        }
      } else {
        screen.task = Task { [weak screen] in
          for await value in values {
            guard let screen else { return }
            screen.show(value)
          }
        }
      }
    },
    TaskForm("a detached task") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = Task.detached { for await value in values { screen.show(value) } }
      } else {
        screen.task = Task.detached { [weak screen] in
          for await value in values { screen?.show(value) }
        }
      }
    },
    TaskForm("a task on the main actor") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = Task { @MainActor in for await value in values { screen.show(value) } }
      } else {
        screen.task = Task { @MainActor [weak screen] in
          for await value in values { screen?.show(value) }
        }
      }
    },
    TaskForm("a task in a task") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = Task {
          let inner = Task { for await value in values { screen.show(value) } }
          await inner.value
        }
      } else {
        screen.task = Task { [weak screen] in
          let inner = Task { [weak screen] in for await value in values { screen?.show(value) } }
          await inner.value
        }
      }
    },
    TaskForm("a task with a name and a priority") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = Task(name: "names", priority: .high) {
          for await value in values { screen.show(value) }
        }
      } else {
        screen.task = Task(name: "names", priority: .high) { [weak screen] in
          for await value in values { screen?.show(value) }
        }
      }
    },
    TaskForm("one of several tasks") { screen, feed, leaks in
      let (values, others) = (feed.values(), feed.values())
      screen.tasks.append(Task { for await _ in others {} })
      if leaks {
        screen.tasks.append(Task { for await value in values { screen.show(value) } })
      } else {
        screen.tasks.append(
          Task { [weak screen] in for await value in values { screen?.show(value) } }
        )
      }
    },
    TaskForm("a task in a dictionary") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.named["names"] = Task { for await value in values { screen.show(value) } }
      } else {
        screen.named["names"] = Task { [weak screen] in
          for await value in values { screen?.show(value) }
        }
      }
    },
    TaskForm("values that are mapped by self", isStored: true) { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = Task {
          for await value in values.map({ $0 + screen.seen }) { screen.show(value) }
        }
      } else {
        screen.task = Task { [weak screen] in
          for await value in values.map({ $0 + 1 }) { screen?.show(value) }
        }
      }
    },
    TaskForm("values that self filters, taken weakly") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        let filtered = values.filter { _ in screen.seen >= 0 }
        screen.task = Task { [weak screen] in for await value in filtered { screen?.show(value) } }
      } else {
        let filtered = values.filter { $0 >= 0 }
        screen.task = Task { [weak screen] in for await value in filtered { screen?.show(value) } }
      }
    },
    TaskForm("values that may end by an error") { screen, feed, leaks in
      let values = feed.throwingValues()
      if leaks {
        screen.task = Task {
          do { for try await value in values { screen.show(value) } } catch {}
        }
      } else {
        screen.task = Task { [weak screen] in
          do { for try await value in values { screen?.show(value) } } catch {}
        }
      }
    },
    TaskForm("an iterator that is called by hand") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = Task {
          var iterator = values.makeAsyncIterator()
          while let value = await iterator.next() { screen.show(value) }
        }
      } else {
        screen.task = Task { [weak screen] in
          var iterator = values.makeAsyncIterator()
          while let value = await iterator.next() { screen?.show(value) }
        }
      }
    },
    TaskForm("a loop that calls a stored closure") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.action = { for await value in values { screen.show(value) } }
        screen.task = Task { [action = screen.action] in await action?() }
      } else {
        screen.action = { [weak screen] in for await value in values { screen?.show(value) } }
        screen.task = Task { [action = screen.action] in await action?() }
      }
    },
    TaskForm("a local function that loops") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        @Sendable func observe() async { for await value in values { screen.show(value) } }
        screen.task = Task { await observe() }
      } else {
        @Sendable func observe(_ show: (Int) -> Void) async {
          for await value in values { show(value) }
        }
        screen.task = Task { [weak screen] in await observe { screen?.show($0) } }
      }
    },
  ]

  private static let structured: [TaskForm] = [
    TaskForm("a task group") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = Task {
          await withTaskGroup(of: Void.self) { group in
            group.addTask { await screen.loop() }
            group.addTask { await screen.loop() }
          }
        }
      } else {
        screen.task = Task { [weak screen] in
          await withTaskGroup(of: Void.self) { [weak screen] group in
            group.addTask { [weak screen] in for await value in values { screen?.show(value) } }
          }
        }
      }
    },
    TaskForm("a discarding task group") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = Task {
          await withDiscardingTaskGroup { group in group.addTask { await screen.loop() } }
        }
      } else {
        screen.task = Task { [weak screen] in
          await withDiscardingTaskGroup { [weak screen] group in
            group.addTask { [weak screen] in for await value in values { screen?.show(value) } }
          }
        }
      }
    },
    TaskForm("async let") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = Task {
          async let first: Void = screen.loop()
          async let second: Void = screen.loop()
          _ = await (first, second)
        }
      } else {
        screen.task = Task { [weak screen] in
          async let first: Void = { [weak screen] in
            for await value in values { screen?.show(value) }
          }()
          await first
        }
      }
    },
    TaskForm("two sequences that are merged by a group") { screen, feed, leaks in
      let (first, second) = (feed.values(), feed.values())
      if leaks {
        screen.task = Task {
          await withTaskGroup(of: Void.self) { group in
            for values in [first, second] { group.addTask { await screen.loopLater(values) } }
          }
        }
      } else {
        screen.task = Task { [weak screen] in
          await withTaskGroup(of: Void.self) { [weak screen] group in
            for values in [first, second] {
              group.addTask { [weak screen] in for await value in values { screen?.show(value) } }
            }
          }
        }
      }
    },
    TaskForm("a cancellation handler around the loop") { screen, feed, leaks in
      let values = feed.values()
      if leaks {
        screen.task = Task {
          await withTaskCancellationHandler {
            for await value in values { screen.show(value) }
          } onCancel: {
          }
        }
      } else {
        screen.task = Task { [weak screen] in
          await withTaskCancellationHandler { [weak screen] in
            for await value in values { screen?.show(value) }
          } onCancel: {
          }
        }
      }
    },
  ]
}
