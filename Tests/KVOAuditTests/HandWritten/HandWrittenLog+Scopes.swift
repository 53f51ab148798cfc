extension HandWrittenLog {
  static let scopes = [
    HandWrittenLog(
      "still observed at the end of a test",
      ["KVO021"],
      """
      {"event":"scopeBegin","thread":1,"id":1,"name":"testBalance","repetition":0}
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made,"scope":1}
      {"event":"scopeEnd","thread":1,"id":1}
      {"event":"remove","thread":1,"order":2,$pair,"registration":1,$in}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "removed before the end of a test",
      [],
      """
      {"event":"scopeBegin","thread":1,"id":1,"name":"testBalance","repetition":0}
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made,"scope":1}
      {"event":"remove","thread":1,"order":2,$pair,"registration":1,$in,"scope":1}
      {"event":"scopeEnd","thread":1,"id":1}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "still observed at the end of a part of a test",
      ["KVO021"],
      """
      {"event":"scopeBegin","thread":1,"id":1,"name":"testBalance","repetition":0}
      {"event":"scopeBegin","thread":1,"id":2,"parent":1,"name":"part","repetition":0}
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made,"scope":2}
      {"event":"scopeEnd","thread":1,"id":2}
      {"event":"remove","thread":1,"order":2,$pair,"registration":1,$in,"scope":1}
      {"event":"scopeEnd","thread":1,"id":1}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "observed by the test around a part of it",
      [],
      """
      {"event":"scopeBegin","thread":1,"id":1,"name":"testBalance","repetition":0}
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made,"scope":1}
      {"event":"scopeBegin","thread":1,"id":2,"parent":1,"name":"part","repetition":0}
      {"event":"scopeEnd","thread":1,"id":2}
      {"event":"remove","thread":1,"order":2,$pair,"registration":1,$in,"scope":1}
      {"event":"scopeEnd","thread":1,"id":1}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "two tests side by side, each on a thread of its own",
      ["KVO021"],
      """
      {"event":"scopeBegin","thread":1,"id":1,"name":"testBalance","repetition":0}
      {"event":"scopeBegin","thread":2,"id":2,"name":"testTitle","repetition":0}
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made,"scope":1}
      {"event":"register","thread":2,"order":1,"subject":$page,"observer":$screen,"keyPath":"title",\
      "context":null,"registration":2,"site":"Screen.swift:40","scope":2}
      {"event":"scopeEnd","thread":1,"id":1}
      {"event":"remove","thread":1,"order":2,$pair,"registration":1,$in}
      {"event":"remove","thread":2,"order":2,"subject":$page,"observer":$screen,"keyPath":"title",\
      "context":null,"registration":2,"site":"Screen.swift:50","scope":2}
      {"event":"scopeEnd","thread":2,"id":2}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "two tests that take turns on a thread, and clean up",
      [],
      """
      {"event":"scopeBegin","thread":1,"id":1,"name":"testBalance","repetition":0}
      {"event":"scopeBegin","thread":1,"id":2,"name":"testTitle","repetition":0}
      {"event":"register","thread":1,"order":1,$pair,"registration":1,$made,"scope":2}
      {"event":"scopeEnd","thread":1,"id":1}
      {"event":"remove","thread":1,"order":2,$pair,"registration":1,$in,"scope":2}
      {"event":"scopeEnd","thread":1,"id":2}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "each visit of a page leaves one more",
      ["KVO021", "KVO022"],
      (1...3).map { visit in
        """
        {"event":"scopeBegin","thread":1,"id":\(visit),"name":"visit","repetition":\(visit - 1)}
        {"event":"register","thread":1,"order":1,"subject":{"class":"Account","id":"2\(visit)"},\
        "observer":$screen,"keyPath":"balance","context":null,"registration":\(visit),$made,\
        "scope":\(visit)}
        {"event":"scopeEnd","thread":1,"id":\(visit)}
        """
      }.joined(separator: "\n") + "\n{\"event\":\"exit\",\"status\":0}"
    ),
    HandWrittenLog(
      "each visit of a page cleans up",
      [],
      (1...3).map { visit in
        """
        {"event":"scopeBegin","thread":1,"id":\(visit),"name":"visit","repetition":\(visit - 1)}
        {"event":"register","thread":1,"order":\(2 * visit - 1),$pair,"registration":\(visit),$made,\
        "scope":\(visit)}
        {"event":"remove","thread":1,"order":\(2 * visit),$pair,"registration":\(visit),$in,\
        "scope":\(visit)}
        {"event":"scopeEnd","thread":1,"id":\(visit)}
        """
      }.joined(separator: "\n") + "\n{\"event\":\"exit\",\"status\":0}"
    ),
  ]

  static let graphs = [
    HandWrittenLog(
      "a token that keeps its owner alive",
      ["KVO019"],
      """
      {"event":"register","thread":1,"order":1,"subject":$account,"keyPath":"balance","registration":1,\
      "form":"token","token":$token,$made}
      {"event":"walkBegin","thread":1,"roots":[$screen]}
      {"event":"hold","thread":1,"from":$screen,"to":$token,"label":"token","strength":"strong",\
      "certainty":"proven"}
      {"event":"hold","thread":1,"from":$token,"to":{"class":"closure #1","id":"10","kind":"closure"},\
      "label":"handler","strength":"strong","certainty":"proven","site":"Screen.swift:13"}
      {"event":"hold","thread":1,"from":{"class":"closure #1","id":"10","kind":"closure"},"to":$screen,\
      "label":"capture of self","strength":"strong","certainty":"proven"}
      {"event":"walkEnd","thread":1,"complete":true}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a token of an unknown class keeps its owner alive",
      ["KVO019"],
      """
      {"event":"register","thread":1,"order":1,"subject":$account,"keyPath":"balance","registration":1,\
      "form":"token","token":{"class":"Watch","id":"9","kind":"token"},$made}
      {"event":"hold","thread":1,"from":$screen,"to":{"class":"Watch","id":"9","kind":"token"},\
      "label":"watch","strength":"strong","certainty":"proven"}
      {"event":"hold","thread":1,"from":{"class":"Watch","id":"9","kind":"token"},"to":$screen,\
      "label":"owner","strength":"strong","certainty":"proven"}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a token that holds its owner weakly",
      [],
      """
      {"event":"register","thread":1,"order":1,"subject":$account,"keyPath":"balance","registration":1,\
      "form":"token","token":$token,$made}
      {"event":"hold","thread":1,"from":$screen,"to":$token,"label":"token","strength":"strong",\
      "certainty":"proven"}
      {"event":"hold","thread":1,"from":$token,"to":$screen,"label":"owner","strength":"weak",\
      "certainty":"proven"}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "a token that releases its owner",
      [],
      """
      {"event":"hold","thread":1,"from":$screen,"to":$token,"label":"token","strength":"strong",\
      "certainty":"proven"}
      {"event":"hold","thread":1,"from":$token,"to":$screen,"label":"owner","strength":"strong",\
      "certainty":"proven"}
      {"event":"drop","thread":1,"from":$token,"to":$screen,"label":"owner","strength":"strong",\
      "certainty":"proven"}
      {"event":"exit","status":0}
      """
    ),
    HandWrittenLog(
      "keys that depend on each other",
      ["KVO028"],
      """
      {"event":"declares","class":"Person","key":"net","affectedBy":["gross"],"manual":false}
      {"event":"declares","class":"Person","key":"gross","affectedBy":["net"],"manual":false}
      {"event":"exit","status":0}
      """
    ),
  ]
}
