#pragma once

#include <weft/graph/spec/spec_duration.hpp>
#include <weft/model/any_model.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/** The members of a model in a configuration, as they stand there. */
namespace weft::model_detail {

struct timeouts_entry {
    std::optional<spec_duration> connect;
    std::optional<spec_duration> send;
    std::optional<spec_duration> first_byte;
    std::optional<spec_duration> gap;
    std::optional<spec_duration> first_token;
    std::optional<spec_duration> token_gap;
};
BOOST_DESCRIBE_STRUCT(timeouts_entry, (), (connect, send, first_byte, gap, first_token, token_gap))

struct limits_entry {
    std::optional<std::uint32_t> text_bytes_max;
    std::optional<std::uint32_t> tool_calls_max;
    std::optional<std::uint32_t> argument_bytes_max;
};
BOOST_DESCRIBE_STRUCT(limits_entry, (), (text_bytes_max, tool_calls_max, argument_bytes_max))

/** What all providers share. */
struct model_entry {
    static constexpr std::array<std::string_view, 2> required_members{"provider", "model"};

    model_provider provider{};
    std::string model;
    std::optional<std::string> base_url;
    boost::json::value api_key;  // read by hand, so that nothing repeats it
    std::map<std::string, std::string> headers;
    std::optional<timeouts_entry> timeouts;
    std::optional<limits_entry> limits;
    boost::json::object extra_body;
};
BOOST_DESCRIBE_STRUCT(model_entry, (), (provider, model, base_url, api_key, headers, timeouts, limits, extra_body))

struct openai_entry : model_entry {
    std::optional<std::string> profile;
    std::string organization;
    std::string project;
    std::optional<bool> takes_sampling;
};
BOOST_DESCRIBE_STRUCT(openai_entry, (model_entry), (profile, organization, project, takes_sampling))

struct responses_entry : model_entry {
    std::string organization;
    std::string project;
    bool store = false;
    std::optional<std::vector<std::string>> include;
    std::string reasoning_summary;
    std::map<std::string, std::string> metadata;
    bool takes_sampling = true;
};
BOOST_DESCRIBE_STRUCT(responses_entry, (model_entry),
                      (organization, project, store, include, reasoning_summary, metadata, takes_sampling))

enum class thinking_entry { off, adaptive, budget };
BOOST_DESCRIBE_ENUM(thinking_entry, off, adaptive, budget)

struct cache_entry {
    bool tools = false;
    bool system = false;
    std::uint8_t messages = 0;
    std::string ttl;
};
BOOST_DESCRIBE_STRUCT(cache_entry, (), (tools, system, messages, ttl))

struct anthropic_entry : model_entry {
    std::optional<std::string> version;
    std::vector<std::string> betas;
    std::optional<std::uint32_t> output_max;
    std::optional<thinking_entry> thinking;
    std::uint32_t thinking_budget = 0;
    std::string thinking_display;
    cache_entry cache;
    std::string user_label;
    bool takes_sampling = true;
    boost::json::array server_tools;
    bool bearer = false;
};
BOOST_DESCRIBE_STRUCT(anthropic_entry, (model_entry),
                      (version, betas, output_max, thinking, thinking_budget, thinking_display, cache, user_label,
                       takes_sampling, server_tools, bearer))

enum class schemas_entry { json_schema, openapi };
BOOST_DESCRIBE_ENUM(schemas_entry, json_schema, openapi)

struct gemini_entry : model_entry {
    schemas_entry schemas = schemas_entry::json_schema;
    bool includes_thoughts = false;
    std::optional<std::int32_t> thinking_budget;
    std::map<std::string, std::string> safety;
    std::string cached_content;
    std::string foreign_signature;
    boost::json::array server_tools;
    bool bearer = false;
};
BOOST_DESCRIBE_STRUCT(gemini_entry, (model_entry),
                      (schemas, includes_thoughts, thinking_budget, safety, cached_content, foreign_signature,
                       server_tools, bearer))

struct ollama_entry : model_entry {
    std::optional<std::uint32_t> context_max;
    std::string keep_alive;
    boost::json::object options;
};
BOOST_DESCRIBE_STRUCT(ollama_entry, (model_entry), (context_max, keep_alive, options))

/** The member `embedding` of a configuration. */
struct embedding_entry {
    static constexpr std::array<std::string_view, 2> required_members{"provider", "model"};

    model_provider provider{};
    std::string model;
    std::optional<std::string> base_url;
    boost::json::value api_key;  // read by hand, so that nothing repeats it
    std::map<std::string, std::string> headers;
    std::optional<timeouts_entry> timeouts;
    std::optional<std::uint32_t> dimensions;
    std::optional<std::uint32_t> batch_inputs_max;
};
BOOST_DESCRIBE_STRUCT(embedding_entry, (),
                      (provider, model, base_url, api_key, headers, timeouts, dimensions, batch_inputs_max))

}  // namespace weft::model_detail
