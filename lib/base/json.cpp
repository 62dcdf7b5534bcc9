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

std::string reason_of(const error_code& code)
{
    if (code == boost::json::error::too_deep)
        return "nested deeper than " + std::to_string(json_depth_max);
    if (code == boost::json::error::incomplete) return "the text ends too early";
    if (code == boost::json::error::extra_data) return "the text goes on behind the value";
    return code.message();
}

}  // namespace

json_syntax_error::json_syntax_error(text_position position, std::string detail)
    : error{errc::invalid_json, position.text(), std::move(detail)}, position_{position}
{
}

namespace {

boost::json::value parse_with(boost::json::parse_options options, std::string_view text,
                              boost::json::storage_ptr storage)
{
    constexpr std::size_t buffer_size = 2048;
    unsigned char buffer[buffer_size];
    options.max_depth = json_depth_max;
    boost::json::basic_parser<exact_handler> parser{options, std::move(storage), buffer, sizeof buffer};
    error_code code;
    const std::size_t end = parser.write_some(false, text.data(), text.size(), code);
    if (!code && end < text.size()) code = boost::json::error::extra_data;
    if (code) throw json_syntax_error{position_in(text, end), reason_of(code)};
    return parser.handler().release();
}

}  // namespace

boost::json::value parse_json(std::string_view text, boost::json::storage_ptr storage)
{
    return parse_with({}, text, std::move(storage));
}

boost::json::value parse_own_json(std::string_view text)
{
    boost::json::parse_options options;
    options.allow_invalid_utf8 = true;
    return parse_with(options, text, {});
}

}  // namespace weft
