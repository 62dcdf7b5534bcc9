#pragma once

#include <weft/async/task.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/sse_parser.hpp>
#include <weft/store/postgres_store.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace stream_chaos {

/** What a client has got of a run. */
struct followed {
    std::map<std::uint64_t, std::string> events;
    std::uint64_t last = 0;
    bool is_in_order = true;
    bool is_whole = false;
    std::string failure = {};  ///< What the stream says of a run that failed; empty: nothing.

    void take(const weft::sse_event& event);
};

/** What is wrong with what clients have got. */
struct stream_verdict {
    std::vector<std::string> wrong;
    std::size_t repeated = 0;  ///< Steps whose end was told before a process died with their checkpoint.
};

/** Asks a server of this port for the stream of a run behind what is there already. */
[[nodiscard]] weft::http_request stream_request(std::uint16_t port, const std::string& thread, weft::run_id run,
                                                const followed& so_far);
/** Reads a stream to its end. @par Errors  Those of the connection, and a refusal. */
[[nodiscard]] weft::task<void> read_stream(weft::http_request request, followed& into);

/** The ids of the events that the store has of a run: what a process has shown of an attempt that it then lost, and
 *  that never came into the store, is void. */
[[nodiscard]] weft::task<std::set<std::uint64_t>> stored_ids(weft::postgres_store& store, weft::run_id run);

/** Compares what a client got while there was trouble with what one got afterwards, and with what the store has. */
[[nodiscard]] stream_verdict judge(const std::string& thread, const followed& seen, const followed& late,
                                   const std::set<std::uint64_t>& stored);

}  // namespace stream_chaos
