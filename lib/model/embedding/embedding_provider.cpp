#include "embedding_provider.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_reading.hpp>

#include "embedding_call.hpp"
#include "model/wire/parsed_error.hpp"
#include "model/wire/streamed_text.hpp"

#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

void check_embedding_options(const embedding_options& options, const url& target)
{
    const auto refuse = [&target](const char* what) {
        throw error{errc::invalid_configuration, target.endpoint(), what};
    };
    if (options.model.empty()) refuse("name the model in `model`");
    if (!options.key.empty() && options.credentials) refuse("give `key` or `credentials`, not both");
    if (options.batch_inputs_max == std::size_t{0} || options.batch_bytes_max == 0)
        refuse("a request needs room for a text: `batch_inputs_max` and `batch_bytes_max` are at least 1");
    if (options.dimensions == std::size_t{0}) refuse("`dimensions` is at least 1");
    if (options.dimensions.value_or(0) > options.dimensions_max) refuse("`dimensions` is more than `dimensions_max`");
}

provider_description description_of(const embedding_wire& wire, embedding_options& options)
{
    provider_description how{.base = wire.target};
    how.headers = {{"Accept", "application/json"}};
    how.headers.insert(how.headers.end(), options.headers.begin(), options.headers.end());
    how.key_header = wire.key_header;
    how.key_prefix = wire.key_prefix;
    how.errors = wire.errors;
    return how;
}

provider_options wire_options_of(embedding_options& options)
{
    return {.model = std::move(options.model),
            .key = std::move(options.key),
            .credentials = std::move(options.credentials),
            .key_origin = std::move(options.key_origin),
            .timeouts = options.timeouts,
            .limits = {},
            .first_token_max = {},
            .token_gap_max = {}};
}

[[noreturn]] void fail_reading(const std::string& where, errc code, std::string detail)
{
    model_failure failure;
    failure.code = code;
    failure.phase = model_phase::response;
    failure.detail = std::move(detail);
    throw model_error{where, std::move(failure)};
}

}  // namespace

std::shared_ptr<const embedding_provider> made_embedding_provider(http_client client, embedding_options options,
                                                                  embedding_wire wire)
{
    check_embedding_options(options, wire.target);
    std::string label = options.model + " at " + wire.target.endpoint();
    const batch_limits limits{options.batch_inputs_max.value_or(wire.inputs_max), options.batch_bytes_max};
    const embedding_expectation expected{0, options.dimensions_max, options.dimensions};
    provider_description how = description_of(wire, options);
    provider from{.client = std::move(client),
                  .options = wire_options_of(options),
                  .how = std::move(how),
                  .label = std::move(label)};
    (void)written_embedding_request(from, wire.target, "{}", from.options.key);  // refuses now what cannot be sent
    return std::make_shared<const embedding_provider>(
        embedding_provider{std::move(from), std::move(wire), limits, expected});
}

embedding_reply read_embeddings(const embedding_provider& from, std::string_view body, std::size_t count,
                                const secret_string& key)
{
    const std::string& where = from.from.label;
    const std::optional<json::value> reply = try_parse_json(body);
    const json::object* fields = reply ? reply->if_object() : nullptr;
    if (!fields) fail_reading(where, errc::invalid_model_reply, "the reply is no JSON object");
    if (reports_error(*fields)) throw model_error{where, reported_failure(*fields, key, *from.wire.errors)};
    embedding_expectation expected = from.expected;
    expected.count = count;
    try {
        embedding_reply read = from.wire.read(*fields, expected);
        check_lengths(read.vectors, expected.dimensions);
        return read;
    } catch (const reply_refused& refusal) {
        fail_reading(where, refusal.code, refusal.detail);
    }
}

}  // namespace weft::model_detail
