// The callbacks that the calling thread is inside of: one word of thread-local storage, which Swift
// has no word for.

#ifndef CKVODELIVERY_H
#define CKVODELIVERY_H

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull begin
#endif
#endif

extern _Thread_local void *_Nullable kvos_innermost_delivery_word;

/// Where the calling thread keeps the frame of the innermost callback that it is in, or null. The frame
/// lies on the stack of whoever sets it, who puts back what was there before.
///
/// One address for the life of the thread; of no use to another thread.
static inline void *_Nullable *_Nonnull kvos_innermost_delivery(void) {
  return &kvos_innermost_delivery_word;
}

#if defined(__has_feature)
#if __has_feature(nullability)
#pragma clang assume_nonnull end
#endif
#endif

#endif
