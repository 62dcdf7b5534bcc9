#include "document_mistakes.hpp"

namespace weft {

void document_mistakes::add(text_position at, const json_path& path, std::string_view text)
{
    if (++count_ <= max_) list_.push_back({at, path.text(), std::string{text}});
}

void document_mistakes::add(std::size_t offset, const json_path& path, std::string_view text)
{
    // Lines are not looked up for a mistake that is only counted: reading takes time in proportion to the text.
    if (count_ < max_) return add(position_at(offset), path, text);
    ++count_;
}

text_position document_mistakes::position_at(std::size_t offset)
{
    if (!lines_) lines_.emplace(text_);
    return lines_->at(offset);
}

}  // namespace weft
