#include "ollama_dialect.hpp"

#include <weft/base/json/json_peek.hpp>

namespace weft::model_detail {

namespace {

void read_sign_in(const boost::json::object& report, error_words& words)
{
    const std::string_view address = peek_text(report, "signin_url");
    if (!address.empty()) words.message.append("; sign in at ").append(bounded_words(address));
}

}  // namespace

const error_dialect ollama_dialect{.meanings = {}, .read_more = &read_sign_in};

}  // namespace weft::model_detail
