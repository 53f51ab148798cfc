// The tracepoint of the LTTng-UST peer: the data of a `notify` event, without a stack.

#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER kvo_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_ust_provider.h"

#if !defined(LTTNG_UST_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_UST_PROVIDER_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(
    kvo_bench, notify,
    LTTNG_UST_TP_ARGS(uint64_t, order, uint64_t, registration, uint64_t, change),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, order, order)
        lttng_ust_field_integer(uint64_t, registration, registration)
        lttng_ust_field_integer(uint64_t, change, change)))

#endif

#include <lttng/tracepoint-event.h>
