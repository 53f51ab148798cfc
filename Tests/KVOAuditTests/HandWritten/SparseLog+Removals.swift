extension SparseLog {
  static let removals = [
    SparseLog(
      "removed twice",
      ["KVO001 error"],
      """
      {"event":"register",$pair}
      {"event":"remove",$pair}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "added and removed twice",
      [],
      """
      {"event":"register",$pair}
      {"event":"remove",$pair}
      {"event":"register",$pair}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "removed with a context, then without",
      ["KVO001 error"],
      """
      {"event":"register",$pair,"context":"A"}
      {"event":"remove",$pair,"context":"A"}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "removed again under a context that never was",
      ["KVO002 error"],
      """
      {"event":"register",$pair,"context":"A"}
      {"event":"remove",$pair,"context":"A"}
      {"event":"remove",$pair,"context":"B"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "removed twice on GNUstep 1.28",
      ["KVO001 warning"],
      """
      {"event":"process","runtime":"gnustep-1.28"}
      {"event":"register",$pair}
      {"event":"remove",$pair}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "cancelled, then removed by name",
      ["KVO001 error"],
      """
      {"event":"register",$pair,"registration":5,"form":"classic"}
      {"event":"cancel","registration":5,"by":"user"}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "removed from another object",
      ["KVO002 error"],
      """
      {"event":"register",$pair}
      {"event":"remove","subject":$savings,"observer":$screen,"keyPath":"balance"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a token removed by name",
      ["KVO002 error"],
      """
      {"event":"register",$pair,"registration":5,"form":"token","token":$token}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a removal that matched a registration which the log does not have",
      [],
      """
      {"event":"remove",$pair,"registration":77}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a removal in a log that began late",
      [],
      notJudged: ["KVO002"],
      """
      {"event":"process","complete":false}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a removal after a loss",
      [],
      notJudged: ["KVO002"],
      """
      {"event":"dropped","count":3}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a removal without a match after a loss",
      ["KVO002 error"],
      """
      {"event":"dropped","count":3}
      {"event":"remove",$pair,"registration":null}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a live registration removed twice",
      ["KVO001 error"],
      """
      {"event":"live",$pair}
      {"event":"remove",$pair}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "removed under NULL",
      ["KVO003 error"],
      """
      {"event":"register",$pair,"context":"0x10"}
      {"event":"remove",$pair,"context":null}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "the NULL context in all its spellings",
      [],
      """
      {"event":"register",$pair,"context":null}
      {"event":"remove",$pair,"context":"0x0"}
      {"event":"register",$pair,"context":0}
      {"event":"remove",$pair,"context":null}
      {"event":"register",$pair}
      {"event":"remove",$pair,"context":0}
      {"event":"register",$pair,"context":"0x0"}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "one context, spelled as a number and as a text",
      ["KVO003 error"],
      """
      {"event":"register",$pair,"context":4096}
      {"event":"remove",$pair,"context":"0x1000"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "removed without a context while two match",
      ["KVO004 warning"],
      """
      {"event":"register",$pair,"context":"A"}
      {"event":"register",$pair,"context":"B"}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "two contexts, each removed",
      [],
      """
      {"event":"register",$pair,"context":"A"}
      {"event":"register",$pair,"context":"B"}
      {"event":"remove",$pair,"context":"A"}
      {"event":"remove",$pair,"context":"B"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "removed without a context while equal ones match",
      ["KVO005 warning"],
      """
      {"event":"register",$pair,"context":"A"}
      {"event":"register",$pair,"context":"A"}
      {"event":"remove",$pair}
      {"event":"exit","status":0}
      """
    ),
  ]
}
