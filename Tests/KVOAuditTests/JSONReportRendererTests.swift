import Foundation
import KVOAudit
import KVOReports
import KVORules
import KVOTraceJSON
import Testing

@Suite("The report as JSON") struct JSONReportRendererTests {
  private let report = AuditReport.sample

  @Test("has every key of the contract in its order, null for unknown values")
  func contract() {
    #expect(
      String(decoding: JSONReportRenderer().render(report), as: UTF8.self) == """
        {
          "schema": 1,
          "inputs": [
            {
              "path": "a.jsonl",
              "kind": "jsonl",
              "events": 1204,
              "damaged": [
                {
                  "line": 7,
                  "column": 3,
                  "message": "not JSON",
                  "offset": null,
                  "byteCount": null,
                  "path": null
                }
              ],
              "damagedCount": 1,
              "ended": [],
              "cutAt": null
            }
          ],
          "findings": [
            {
              "code": "KVO001",
              "slug": "double-remove",
              "severity": "error",
              "profile": "swift",
              "message": "Screen#3 removed \\"balance\\" twice",
              "subject": {
                "class": "Account",
                "id": "12"
              },
              "observer": {
                "class": "Screen",
                "id": "3"
              },
              "keyPath": "balance",
              "context": null,
              "count": 3,
              "events": [118, 240, 377],
              "signature": "5f0c2a91",
              "lines": [],
              "consequence": "contained",
              "confidence": "high",
              "expected": false,
              "stacks": [
                {
                  "role": "failed",
                  "thread": "1",
                  "frames": [
                    {
                      "address": "0x55d0c0de",
                      "symbol": "Screen.deinit",
                      "module": "app",
                      "file": "Screen.swift",
                      "line": 41,
                      "inlined": false,
                      "own": true
                    },
                    {
                      "address": "0x10",
                      "symbol": null,
                      "module": null,
                      "file": null,
                      "line": null,
                      "inlined": false,
                      "own": false
                    }
                  ],
                  "threadName": "main",
                  "event": 118,
                  "site": "Screen.swift:41",
                  "function": null
                },
                {
                  "role": "registered",
                  "thread": null,
                  "frames": [],
                  "threadName": null,
                  "event": null,
                  "site": null,
                  "function": null
                }
              ],
              "cycle": [
                {
                  "from": "Screen#3",
                  "label": "token",
                  "to": "Token#9",
                  "strength": "strong",
                  "certainty": "proven",
                  "shouldBeWeak": true
                }
              ],
              "hint": "remove it once",
              "suppressed": false,
              "consequences": [
                {
                  "code": "KVO008",
                  "slug": "delivery-to-dead",
                  "severity": "error",
                  "profile": "swift",
                  "message": "late",
                  "subject": null,
                  "observer": null,
                  "keyPath": null,
                  "context": null,
                  "count": 1,
                  "events": [],
                  "signature": "00000001",
                  "lines": [],
                  "consequence": "contained",
                  "confidence": "low",
                  "expected": true,
                  "stacks": [],
                  "cycle": [],
                  "hint": "h",
                  "suppressed": false,
                  "consequences": [],
                  "input": 1,
                  "historyLost": false,
                  "library": false,
                  "processes": 1,
                  "runs": 1,
                  "suppression": null,
                  "baseline": null
                }
              ],
              "input": 0,
              "historyLost": false,
              "library": false,
              "processes": 1,
              "runs": 1,
              "suppression": null,
              "baseline": null
            }
          ],
          "notJudged": [
            {
              "code": "KVO014",
              "why": "no writes",
              "reason": "no writes",
              "inputs": null,
              "paths": []
            }
          ],
          "summary": {
            "events": 1204,
            "errors": 1,
            "warnings": 0,
            "liveRegistrations": 14,
            "droppedEvents": 18446744073709551615,
            "notes": 2,
            "processes": 1,
            "suppressed": 0,
            "libraries": 0
          },
          "unreadable": [
            {
              "path": "b.jsonl",
              "line": null,
              "column": null,
              "message": "no such file"
            }
          ],
          "unnamed": [],
          "crashes": [],
          "suppressions": [],
          "baseline": null
        }

        """
    )
  }

  @Test("is JSON")
  func isJSON() throws {
    let data = Data(JSONReportRenderer().render(report))
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(
      Set(object.keys) == [
        "schema", "inputs", "findings", "notJudged", "summary", "unreadable", "unnamed", "crashes",
        "suppressions", "baseline",
      ]
    )
  }

  @Test("of nothing has empty lists")
  func empty() {
    #expect(
      String(decoding: JSONReportRenderer().render(AuditReport()), as: UTF8.self) == """
        {
          "schema": 1,
          "inputs": [],
          "findings": [],
          "notJudged": [],
          "summary": {
            "events": 0,
            "errors": 0,
            "warnings": 0,
            "liveRegistrations": 0,
            "droppedEvents": 0,
            "notes": 0,
            "processes": 0,
            "suppressed": 0,
            "libraries": 0
          },
          "unreadable": [],
          "unnamed": [],
          "crashes": [],
          "suppressions": [],
          "baseline": null
        }

        """
    )
  }
}
