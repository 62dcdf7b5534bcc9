#include "effect_rules.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/base/utf8.hpp>

#include <boost/describe/class.hpp>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid.hpp>

#include <algorithm>
#include <optional>

namespace weft {

namespace {

struct written_failure {
    std::string code;
    std::optional<std::string> where, detail;
};
BOOST_DESCRIBE_STRUCT(written_failure, (), (code, where, detail))

/** The name space of weft's idempotency keys: a random UUID, made once. */
constexpr boost::uuids::uuid effect_keys{{0x6d, 0x1f, 0x0a, 0x52, 0x93, 0x4c, 0x4e, 0x0b, 0xa7, 0x61, 0x2c, 0x58,
                                          0xd0, 0x3e, 0x71, 0x95}};

std::string as_utf8(const std::string& text) { return is_valid_utf8(text) ? text : repaired_utf8(text); }

}  // namespace

effect_step next_step(const effect_record* last, const effect_options& options) noexcept
{
    // No intent was recorded, so that the call has not begun.
    if (!last) return effect_step::begin;
    if (last->phase == effect_phase::done) return effect_step::give;
    if (last->phase == effect_phase::failed)
        return options.keeps_failure ? effect_step::rethrow : effect_step::begin;
    // The process ended between intent and outcome: only the policy of the effect can say what is right.
    switch (options.in_doubt) {
    case doubt_policy::retry_with_key: return effect_step::repeat;
    case doubt_policy::query: return effect_step::query;
    case doubt_policy::compensate: return effect_step::compensate;
    case doubt_policy::ask: return effect_step::ask;
    case doubt_policy::fail: break;
    }
    return effect_step::refuse;
}

bool leaves_doubt(errc code) noexcept
{
    switch (code) {
    // In each of these the request may have arrived.
    case errc::cancelled:
    case errc::timeout:
    case errc::node_timeout:
    case errc::stream_closed:
    case errc::connection_lost:
    case errc::send_timeout:
    case errc::first_byte_timeout:
    case errc::gap_timeout:
    case errc::invalid_response:
    case errc::response_too_large:
    case errc::response_truncated:
    case errc::model_overloaded:
    case errc::model_stream_error:
    case errc::store_outcome_unknown: return true;
    default: return false;
    }
}

std::string address_of_try(const std::string& effect, std::uint32_t number)
{
    // The first try has the address of the effect, as it had before tries were counted.
    return number == 0 ? effect : effect + "/try#" + std::to_string(number);
}

std::string failure_text(const std::exception_ptr& cause)
{
    written_failure written;
    try {
        std::rethrow_exception(cause);
    } catch (const error& e) {
        written.code = name_of(e.code());
        if (!e.where().empty()) written.where = as_utf8(e.where());
        written.detail = as_utf8(e.detail());
    } catch (...) {
        written.code = name_of(code_of(cause));
        written.detail = as_utf8(text_of(cause));
    }
    return to_json_text(to_json(written));
}

error failure_from(const effect_record& failed)
{
    try {
        auto read = from_json<written_failure>(parse_json(failed.body));
        return error{errc_named(read.code).value_or(errc::node_failed), std::move(read.where).value_or(""),
                     std::move(read.detail).value_or("")};
    } catch (const error&) {
        // Written by another version: its text says more than a refusal to read it would.
        return error{errc::node_failed, failed.address, failed.body};
    }
}

std::string idempotency_key(std::string_view scope, std::string_view effect)
{
    std::string name{scope};
    // A byte that is in no name: "a" and "bc" do not make the key of "ab" and "c".
    name.append(1, '\0').append(effect);
    const boost::uuids::uuid made = boost::uuids::name_generator_sha1{effect_keys}(name.data(), name.size());
    unique_id id;
    std::copy(made.begin(), made.end(), id.bytes.begin());
    return id.text();
}

}  // namespace weft
