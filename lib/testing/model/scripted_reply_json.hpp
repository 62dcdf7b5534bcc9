#pragma once

#include <weft/chat/usage.hpp>
#include <weft/testing/model/scripted_reply_content.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::testing {

/** `{"error":{"message":…,"type":…,"param":null,"code":…}}` */
[[nodiscard]] std::string error_document(std::string_view message, std::string_view type, int code);

/** What OpenAI calls the errors of a status. */
[[nodiscard]] std::string_view error_type_of(int status) noexcept;

/** A part of a tool call as it stands in the delta of a chunk. */
[[nodiscard]] std::string tool_call_head(std::size_t index, const scripted_tool_call& call);
[[nodiscard]] std::string tool_call_arguments(std::size_t index, std::string_view piece);

/** What all chunks of one streamed reply have in common. */
struct chat_naming {
    std::string id;
    std::string model;
    std::int64_t created = 0;  ///< Seconds since 1970.
};

/** Writes the events of a streamed reply. */
class chat_chunks {
public:
    /** @param with_usage  Whether the request asked for usage: then every chunk mentions it. */
    chat_chunks(const chat_naming& naming, bool with_usage);

    [[nodiscard]] std::string opening(bool has_text) const;
    [[nodiscard]] std::string text(std::string_view piece) const;
    [[nodiscard]] std::string tool_call(std::string_view part) const;
    [[nodiscard]] std::string finish(std::string_view reason) const;
    [[nodiscard]] std::string usage(const weft::usage& count) const;

private:
    [[nodiscard]] std::string event(std::string_view delta, std::string_view finish) const;

    std::string head_;
    std::string tail_;
};

/** The whole reply as one document; without a reason to finish, `finish_reason` is null. */
[[nodiscard]] std::string chat_document(const chat_naming& naming,
                                        const scripted_reply_content& parts,
                                        const weft::usage& count);

}  // namespace weft::testing
