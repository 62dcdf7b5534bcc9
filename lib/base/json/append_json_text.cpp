#include <weft/base/json/append_json_text.hpp>

#include <cstddef>

namespace weft {

void append_json_text(std::string& to, std::string_view text)
{
    constexpr std::string_view digits = "0123456789abcdef";
    to.push_back('"');
    std::size_t done = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        // Text between two characters that need it is copied at once.
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        to.append(text, done, i - done);
        done = i + 1;
        switch (c) {
        case '"': to.append("\\\""); break;
        case '\\': to.append("\\\\"); break;
        case '\b': to.append("\\b"); break;
        case '\f': to.append("\\f"); break;
        case '\n': to.append("\\n"); break;
        case '\r': to.append("\\r"); break;
        case '\t': to.append("\\t"); break;
        default: to.append("\\u00").append({digits[c >> 4], digits[c & 15]}); break;
        }
    }
    to.append(text, done);
    to.push_back('"');
}

}  // namespace weft
