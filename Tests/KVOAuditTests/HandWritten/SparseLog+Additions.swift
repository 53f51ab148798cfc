extension SparseLog {
  static let additions = [
    SparseLog(
      "added twice from one line",
      ["KVO005 warning"],
      """
      {"event":"register",$pair,"site":"S.swift:12"}
      {"event":"register",$pair,"site":"S.swift:12"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "added twice from an unknown call site",
      ["KVO005 warning"],
      notJudged: ["KVO018"],
      """
      {"event":"register",$pair}
      {"event":"register",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "added twice from two lines",
      ["KVO018 warning"],
      """
      {"event":"register",$pair,"site":"S.swift:12"}
      {"event":"register",$pair,"site":"B.swift:40"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "added twice from two stacks",
      ["KVO018 warning"],
      """
      {"event":"register",$pair,"stack":["-[Screen show] (Screen.m:41)"]}
      {"event":"register",$pair,"stack":["-[Base show] (Base.m:7)"]}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "added twice from one stack",
      ["KVO005 warning"],
      """
      {"event":"register",$pair,"stack":["-[Screen show] (Screen.m:41)"]}
      {"event":"register",$pair,"stack":["-[Screen show] (Screen.m:41)"]}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "added from two lines under two contexts",
      [],
      """
      {"event":"register",$pair,"site":"S.swift:12","context":"A"}
      {"event":"register",$pair,"site":"B.swift:40","context":"B"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "two tokens",
      [],
      """
      {"event":"register",$pair,"registration":5,"token":$token}
      {"event":"register",$pair,"registration":6,"token":{"class":"ObservationToken","id":"10"}}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a controller that observes twice",
      ["KVO005 warning"],
      """
      {"event":"register",$pair,"registration":5,"form":"controller"}
      {"event":"register",$pair,"registration":6,"form":"controller"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "two streams",
      [],
      """
      {"event":"register",$pair,"registration":5,"form":"stream"}
      {"event":"register",$pair,"registration":6,"form":"stream"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "added while an equal one is live",
      ["KVO005 warning"],
      """
      {"event":"live",$pair}
      {"event":"register",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "two live lines of one registration without a number",
      [],
      """
      {"event":"live",$pair}
      {"event":"live",$pair}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "an object that observes itself",
      ["KVO020 note"],
      """
      {"event":"register",$self,"registration":5}
      {"event":"remove",$self}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "an object that observes itself, held by a registry",
      ["KVO020 warning"],
      """
      {"event":"register",$self,"registration":5}
      {"event":"hold","from":{"class":"FBKVOController","id":"7","kind":"registry"},"to":$account}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a nil key path",
      ["KVO029 error"],
      """
      {"event":"refused","subject":$account,"reason":"nilKeyPath"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "a key without an accessor",
      ["KVO029 warning"],
      """
      {"event":"declares","class":"Account","key":"balanse","affectedBy":[],"problem":"noAccessor"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "two contexts on GNUstep 1.28",
      ["KVO038 error"],
      """
      {"event":"process","runtime":"gnustep-1.28"}
      {"event":"register",$pair,"registration":5,"context":"A"}
      {"event":"register",$pair,"registration":6,"context":"B"}
      {"event":"exit","status":0}
      """
    ),
    // Nothing follows from it on the runtime of a log that does not state any, so it is one step lower.
    SparseLog(
      "two contexts, of which the runtime ended one",
      ["KVO038 warning"],
      """
      {"event":"register",$pair,"registration":5,"context":"A"}
      {"event":"register",$pair,"registration":6,"context":"B"}
      {"event":"cancel","registration":5,"by":"runtime"}
      {"event":"remove",$pair,"context":"A"}
      {"event":"remove",$pair,"context":"B"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "two contexts on GNUstep 1.31",
      [],
      """
      {"event":"process","runtime":"gnustep-modern"}
      {"event":"register",$pair,"registration":5,"context":"A"}
      {"event":"register",$pair,"registration":6,"context":"B"}
      {"event":"exit","status":0}
      """
    ),
    SparseLog(
      "dependencies that the runtime does not read",
      ["KVO040 note"],
      """
      {"event":"declares","class":"P","key":"s","affectedBy":["a"],"problem":"ignoredDependencies"}
      {"event":"exit","status":0}
      """
    ),
  ]
}
