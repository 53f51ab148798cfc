#if Serve

import NIOCore

/// Limits of what one client can make the server spend.
///
/// A page of any site can send requests to this machine, so every bound holds before the request is looked at.
enum ServeLimits {
  /// The bytes of a whole request.
  ///
  /// A browser's requests for the page take less than one KiB.
  static let requestByteCount = 8192

  /// How long a client may take to send its request.
  static let requestTime = TimeAmount.seconds(5)

  /// How long a client may take to read its answer.
  static let responseTime = TimeAmount.seconds(60)

  /// Connections that are open at once; the oldest is closed for one more.
  ///
  /// A process has 1,024 descriptors by default.
  static let connectionCount = 256
}

#endif
