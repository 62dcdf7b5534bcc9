#pragma once

#include "answer_writes.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/node_registry.hpp>
#include <weft/graph/spec/spec_duration.hpp>
#include <weft/net/url.hpp>
#include <weft/tool/tool.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/** What agents of other systems have in common, whichever protocol they speak. */
namespace weft::agent_detail {

/** Questions and answers in one visit. */
inline constexpr int agent_rounds_max = 32;

// Graph files.

/** @param member   Of the settings. */
void check_agent_url(node_request& request, std::string_view member, const std::string& at);
void check_agent_limits(node_request& request, const std::optional<spec_duration>& timeout,
                        std::int64_t reply_bytes_max);
/** The key that keeps the conversation from one visit to the next; empty: none. */
void check_conversation_key(node_request& request, std::string_view member, const std::string& key);
/** The keys that get the answer: those of the node's writes but for the one of the conversation. */
[[nodiscard]] answer_target keys_for_answer(answer_target all, const std::string& conversation);

// Failures.

/** @par Errors   `errc::agent_refused`, if this is one question too many. @param round   From 0. */
void require_round(int round, std::string_view node);
/** An error in words for the caller of an agent; nothing: the words of the error itself are good.
 *  @param place   Of the call, with the agent. */
[[nodiscard]] std::optional<error> told_by_caller(const error& of, const std::string& place, const url& at);

/** An agent as a tool of models: they give it a `message`. */
class remote_agent_tool : public tool {
public:
    [[nodiscard]] tool_spec spec() const final;
    [[nodiscard]] tool_traits traits() const final;

protected:
    /** A parameter beside the message. */
    struct parameter {
        std::string_view name;
        std::string_view description;
    };
    /** @param maker   What makes it, for errors: `a2a_tool`.
     *  @par Errors    `errc::invalid_configuration`: the name is empty. */
    remote_agent_tool(std::string_view maker, std::string name, std::string description,
                      std::vector<parameter> parameters);
    /** By what the agent knows the call again. */
    [[nodiscard]] static std::string key_of(const tool_invocation& invocation);
    [[nodiscard]] static std::string place_of(const tool_invocation& invocation);

private:
    std::string name_;
    std::string description_;
    std::vector<parameter> parameters_;
};

}  // namespace weft::agent_detail
