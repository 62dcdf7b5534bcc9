#include <weft/base/json/json_reading.hpp>

#include <weft/base/json.hpp>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

#include <charconv>
#include <cstddef>
#include <string>
#include <utility>

namespace weft {

namespace {

using json_text = boost::json::string_view;
using boost::system::error_code;

/** Makes a value of what the parser finds. The parser's own doubles may be off by the last bit; these are the nearest
 *  to what is written, so that what `serialize` writes is read as the same. */
class exact_handler {
public:
    static constexpr std::size_t max_object_size = boost::json::object::max_size();
    static constexpr std::size_t max_array_size = boost::json::array::max_size();
    static constexpr std::size_t max_key_size = boost::json::string::max_size();
    static constexpr std::size_t max_string_size = boost::json::string::max_size();

    exact_handler(boost::json::storage_ptr storage, unsigned char* buffer, std::size_t size)
        : stack_{{}, buffer, size}
    {
        stack_.reset(std::move(storage));
    }
    [[nodiscard]] boost::json::value release() { return stack_.release(); }

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_object_begin(error_code&) { return true; }
    bool on_array_begin(error_code&) { return true; }
    bool on_object_end(std::size_t count, error_code&) { return stack_.push_object(count), true; }
    bool on_array_end(std::size_t count, error_code&) { return stack_.push_array(count), true; }
    bool on_key_part(json_text part, std::size_t, error_code&) { return stack_.push_chars(part), true; }
    bool on_key(json_text part, std::size_t, error_code&) { return stack_.push_key(part), true; }
    bool on_string_part(json_text part, std::size_t, error_code&) { return stack_.push_chars(part), true; }
    bool on_string(json_text part, std::size_t, error_code&) { return stack_.push_string(part), true; }
    bool on_number_part(json_text part, error_code&) { return number_.append(part.data(), part.size()), true; }
    bool on_int64(std::int64_t number, json_text, error_code&)
    {
        return number_.clear(), stack_.push_int64(number), true;
    }
    bool on_uint64(std::uint64_t number, json_text, error_code&)
    {
        return number_.clear(), stack_.push_uint64(number), true;
    }
    bool on_double(double number, json_text part, error_code&)
    {
        number_.append(part.data(), part.size());
        (void)std::from_chars(number_.data(), number_.data() + number_.size(), number);  // out of range: as it is
        return number_.clear(), stack_.push_double(number), true;
    }
    bool on_bool(bool value, error_code&) { return stack_.push_bool(value), true; }
    bool on_null(error_code&) { return stack_.push_null(), true; }
    bool on_comment_part(json_text, error_code&) { return true; }
    bool on_comment(json_text, error_code&) { return true; }

private:
    boost::json::value_stack stack_;
    std::string number_;
};

std::string reason_of(const error_code& code, std::size_t depth_max)
{
    if (code == boost::json::error::too_deep)
        return "nested deeper than " + std::to_string(depth_max);
    if (code == boost::json::error::incomplete) return "the text ends too early";
    if (code == boost::json::error::extra_data) return "the text goes on behind the value";
    return code.message();
}

boost::json::parse_options options_of(json_reading how)
{
    boost::json::parse_options options;
    options.max_depth = how.depth_max;
    options.allow_invalid_utf8 = how.takes_any_bytes;
    return options;
}

/** Where reading ended, and why there, if that is not the end of the text. */
struct reading_end {
    std::size_t at = 0;
    error_code failed;
};

boost::json::value read_value(std::string_view text, json_reading how, boost::json::storage_ptr storage,
                              reading_end& end)
{
    constexpr std::size_t buffer_size = 2048;
    unsigned char buffer[buffer_size];
    boost::json::basic_parser<exact_handler> parser{options_of(how), std::move(storage), buffer, sizeof buffer};
    end.at = parser.write_some(false, text.data(), text.size(), end.failed);
    if (!end.failed && end.at < text.size()) end.failed = boost::json::error::extra_data;
    return end.failed ? boost::json::value{} : parser.handler().release();
}

}  // namespace

boost::json::value parse_json_as(std::string_view text, json_reading how, boost::json::storage_ptr storage)
{
    reading_end end;
    boost::json::value value = read_value(text, how, std::move(storage), end);
    if (end.failed) throw json_syntax_error{position_in(text, end.at), reason_of(end.failed, how.depth_max)};
    return value;
}

namespace {

std::optional<boost::json::value> attempt(std::string_view text, json_reading how, boost::json::storage_ptr storage)
{
    reading_end end;
    boost::json::value value = read_value(text, how, std::move(storage), end);
    if (end.failed) return std::nullopt;
    return value;
}

}  // namespace

std::optional<boost::json::value> try_parse_json(std::string_view text, boost::json::storage_ptr storage)
{
    return attempt(text, json_reading{}, std::move(storage));
}

std::optional<boost::json::value> try_parse_json(std::string_view text, json_reading how)
{
    return attempt(text, how, {});
}

struct json_pieces::impl {
    impl(std::string_view whole, json_reading as)
        : text{whole}, how{as}, parser{options_of(as), boost::json::storage_ptr{}, nullptr, std::size_t{0}}
    {
    }

    std::string_view text;
    json_reading how;
    std::size_t at = 0;
    boost::json::basic_parser<exact_handler> parser;
};

json_pieces::json_pieces(std::string_view text, json_reading how) : impl_{std::make_unique<impl>(text, how)} {}

json_pieces::~json_pieces() = default;

bool json_pieces::read(std::size_t bytes)
{
    const std::string_view piece = impl_->text.substr(impl_->at, bytes);
    const bool has_more = impl_->at + piece.size() < impl_->text.size();
    error_code failed;
    const std::size_t taken = impl_->parser.write_some(has_more, piece.data(), piece.size(), failed);
    impl_->at += taken;
    if (!failed && taken < piece.size()) failed = boost::json::error::extra_data;
    if (failed) throw json_syntax_error{position_in(impl_->text, impl_->at), reason_of(failed, impl_->how.depth_max)};
    return !has_more;
}

boost::json::value json_pieces::take() { return impl_->parser.handler().release(); }

}  // namespace weft
