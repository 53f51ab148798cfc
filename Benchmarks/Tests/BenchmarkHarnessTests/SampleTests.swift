import Testing

@testable import BenchmarkHarness

@Suite("What drivers and callgrind print")
struct SampleTests {
  @Test("The line of a driver is found among others, and its order and other fields do not matter")
  func line() {
    let output = "log opened\nthread-ns=3000 more=1 operations=100 process-ns=4000\n"
    let sample = Sample(driverOutput: output)
    #expect(sample == Sample(operations: 100, threadNanoseconds: 3_000, processNanoseconds: 4_000))
    #expect(sample?.perOperation == 30)
    #expect(sample?.perOperationOfProcess == 40)
  }

  @Test(
    "Output without a whole line is not a sample",
    arguments: [
      "", "operations=100 thread-ns=3000\n", "operations=0 thread-ns=1 process-ns=1\n",
      "operations=many thread-ns=1 process-ns=1\n",
    ]
  )
  func noLine(output: String) { #expect(Sample(driverOutput: output) == nil) }

  @Test("The number that callgrind collected is read")
  func collected() {
    let output = """
      ==71== Events    : Ir
      ==71== Collected : 4567890
      ==71==
      ==71== I   refs:      4,567,890
      """
    #expect(InstructionCount.collected(output) == 4_567_890)
    #expect(InstructionCount.collected("valgrind: no such file") == nil)
  }
}
