#pragma once

#include <weft/store/record/stored_document.hpp>
#include <weft/store/record/stored_run.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/** The messages of a `webhook_outbox` as documents. PostgreSQL makes that of a run's end as SQL. */
namespace weft::store_detail {

inline constexpr const char* outbox_kind = "outbox";

/** What a document says about a message. */
struct outbox_document {
    std::string_view url;
    boost::json::object payload;
    std::uint64_t attempts = 0;
    std::string_view last_error;
    bool is_dead = false;
};

[[nodiscard]] std::string text_of(outbox_document message);

/** The message that a run is over, to be added unless there is one of its id.
 *  @param ended   Its id, thread, graph, phase and webhook are used. */
[[nodiscard]] document_change message_of_end(const stored_run& ended, wall_time now);

}  // namespace weft::store_detail
