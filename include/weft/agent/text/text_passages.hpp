#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** A part of a document that makes sense by itself. */
struct text_passage {
    std::string heading;   ///< The headings that it stands below, as `Models > Keys`; empty where there is none.
    std::string text;      ///< As it stands in the document, without blank lines at its ends.
    std::size_t line = 1;  ///< On which line of the document it begins, from 1.
};

/** How a document is divided. */
struct passage_options {
    std::size_t bytes_max = 1'500;  ///< Of the text of a passage, at least 16.
};

/** Divides plain text or Markdown for a search by meaning: at headings, else between paragraphs, else between lines,
 *  else between characters. Paragraphs of one heading stay together as far as they fit; so do blocks of code.
 *
 *  No text is left out but headings, which stand in `heading`, and blank lines between passages. */
[[nodiscard]] std::vector<text_passage> passages_of(std::string_view document, passage_options options = {});

}  // namespace weft
