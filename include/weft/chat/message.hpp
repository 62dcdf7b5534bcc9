#pragma once

#include <weft/base/memory/copied_ptr.hpp>
#include <weft/chat/content_part.hpp>
#include <weft/chat/tool_call.hpp>

#include <boost/json/conversion.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Who speaks in a message. */
enum class role { system, user, assistant, tool };

/** The identifier of a role as written above. */
[[nodiscard]] std::string_view name_of(role speaker) noexcept;

/** What a provider wants to see again, unchanged, when its message goes back to it in the history.
 *  Another provider or model gets the neutral form only. */
struct provider_data {
    std::string provider{};       ///< Whose wire format `fields` follows.
    std::string model{};          ///< The model that was asked.
    boost::json::value fields{};  ///< An object whose fields join the message on the wire.

    friend bool operator==(const provider_data&, const provider_data&) = default;
};

/** One turn of a conversation. A plain value that converts to and from JSON, so that it can live in a graph's state. */
struct message {
    weft::role role = weft::role::user;
    std::vector<content_part> content{};
    std::vector<tool_call> tool_calls{};  ///< Of an assistant; each is answered by exactly one `tool` message.
    std::string tool_call_id{};           ///< Of a `tool` message: the call that it answers.
    std::string name{};                   ///< Of the speaker, where several share a role; may be empty.
    copied_ptr<provider_data> provider{};
    bool is_error = false;                ///< Of a `tool` message: the call failed, and the text says why.
    std::string id{};                     ///< For clients of a server, and for `append`; may be empty. For no model.

    [[nodiscard]] static message system(std::string text);
    [[nodiscard]] static message user(std::string text);
    [[nodiscard]] static message assistant(std::string text);
    /** The answer to a tool call; a call that failed or was cancelled needs one too, saying so. */
    [[nodiscard]] static message tool_result(std::string tool_call_id, std::string text);
    /** The answer to a tool call that failed, marked as such for providers that want to know. */
    [[nodiscard]] static message tool_error(std::string tool_call_id, std::string text);

    /** All text parts, one after the other; neither reasoning nor refusals. */
    [[nodiscard]] std::string text() const;
    /** All reasoning parts, one after the other. */
    [[nodiscard]] std::string reasoning() const;
    /** All refusal parts, one after the other. */
    [[nodiscard]] std::string refusal() const;

    friend bool operator==(const message&, const message&) = default;
};

/** By what a message in a list is the same one: its id. See `append`. */
[[nodiscard]] inline std::string_view identity_in_list(const message& of) noexcept { return of.id; }

/** weft's own format, the same in every version: `{"role":"user","content":"…"}` where the content is one text, else
 *  a list of `{"type":"text"|"image"|"reasoning"|"refusal",…}`; the other fields appear when they say something. */
void tag_invoke(boost::json::value_from_tag, boost::json::value& out, const message& in);

/** @par Errors `errc::unexpected_json` when a field is missing or has another type; the message names it. */
message tag_invoke(boost::json::value_to_tag<message>, const boost::json::value& in);

}  // namespace weft
