/// The code of a rule.
///
/// Code and slug are a public contract: suppressions, baselines and test assertions name them, so neither is ever
/// reused for another rule.
package enum RuleCode: String, Hashable, Sendable, CaseIterable, Comparable {
  case doubleRemove = "KVO001"
  case removeUnregistered = "KVO002"
  case removeWrongContext = "KVO003"
  case ambiguousRemove = "KVO004"
  case duplicateRegistration = "KVO005"
  case observedDeinitWhileObserved = "KVO006"
  case observerDeinitWhileRegistered = "KVO007"
  case deliveryToDead = "KVO008"
  case deliveryAfterRemove = "KVO009"
  case removeDuringInitial = "KVO010"
  case registrationRace = "KVO011"
  case unbalancedChange = "KVO012"
  case priorWithoutAfter = "KVO013"
  case mutationWithoutNotification = "KVO014"
  case deepPathIntermediateDeath = "KVO015"
  case weakLinkSilentlyNil = "KVO016"
  case unhandledNotification = "KVO017"
  case contextCollision = "KVO018"
  case observationRetainCycle = "KVO019"
  case selfObservation = "KVO020"
  case leakedRegistration = "KVO021"
  case registrationGrowth = "KVO022"
  case offExecutorDelivery = "KVO023"
  case concurrentChange = "KVO024"
  case concurrentRemoval = "KVO025"
  case callbackUnderLock = "KVO026"
  case reentrantChange = "KVO027"
  case dependencyCycle = "KVO028"
  case uncompliantPath = "KVO029"
  case classChangedUnderObservation = "KVO030"
  case tokenDropped = "KVO031"
  case missedDelivery = "KVO032"
  case displacedRegistration = "KVO038"
  case callbackRaised = "KVO039"
  case ignoredDependency = "KVO040"
  case parkedConsumer = "KVO041"
  case consumerGrowth = "KVO042"
  case continuationDropped = "KVO043"
  case continuationResumedTwice = "KVO044"

  package static func < (left: RuleCode, right: RuleCode) -> Bool {
    left.rawValue < right.rawValue
  }
}
