#pragma once

#include <weft/agent/chat_agent/speech_buffer.hpp>
#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/item_space.hpp>

#include <boost/describe/class.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/** Speech that is ready to be answered. */
struct speech_record {
    std::string thread{};
    std::string content{};
    std::int64_t timestamp = 0;  ///< Milliseconds since 1970.
    bool processed = false;      ///< For consumers that mark records instead of taking them.
    std::string handoff_type = "speech_buffer";
    speech_reason reason = speech_reason::waiting;

    friend bool operator==(const speech_record&, const speech_record&) = default;
};
BOOST_DESCRIBE_STRUCT(speech_record, (), (thread, content, timestamp, processed, handoff_type, reason))

/** Records of speech in an item store, for a process that answers what another one has heard.
 *
 *  The records of a thread lie in the namespace `stream_buffer:<thread>`, below that of the given space, oldest first.
 *  Each has an item of its own, so that two processes never overwrite each other's records.
 *
 *  @par Errors          Those of `item_store`; `errc::unexpected_json` for an item that is no record.
 *  @par Thread safety   As `item_store`.
 *  @par Source          Sulla's hand-off of speech, which has one record `stream_buffer:<thread>`. */
class speech_records {
public:
    /** @param lifetime   Of a record that is not taken. */
    explicit speech_records(item_space where, std::chrono::milliseconds lifetime = std::chrono::hours{1})
        : where_{std::move(where)}, lifetime_{lifetime}
    {
    }

    /** Writes a record. @param name   From `name_of`; a second `put` of one name replaces the first. */
    [[nodiscard]] task<void> put(std::string name, speech_record record) const;
    /** @return False if there was none: another consumer has it. */
    [[nodiscard]] task<bool> erase(std::string thread, std::string name) const;
    /** Takes the oldest records of a thread out of the store, at most `max`. Of several consumers each record goes to
     *  one. */
    [[nodiscard]] task<std::vector<speech_record>> take(std::string thread, std::size_t max = 100) const;

    /** A name that sorts by time. @param number   Differs for records of one millisecond, also between processes. */
    [[nodiscard]] static std::string name_of(const speech_record& record, std::uint64_t number);

private:
    [[nodiscard]] item_space of_thread(const std::string& thread) const;

    item_space where_;
    std::chrono::milliseconds lifetime_;
};

}  // namespace weft
