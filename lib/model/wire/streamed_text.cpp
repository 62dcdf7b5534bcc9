#include "streamed_text.hpp"

namespace weft::model_detail {

void byte_budget::take(std::size_t bytes)
{
    if (bytes > left_)
        throw reply_refused{errc::response_too_large,
                            std::string{what_} + " longer than " + std::to_string(max_) + " bytes"};
    left_ -= bytes;
}

}  // namespace weft::model_detail
