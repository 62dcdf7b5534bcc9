#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft_cli {

/** The last lines of a terminal, drawn over again and again, with lines that stay above them. Writes nothing itself. */
class live_area {
public:
    struct extent {
        std::size_t columns;
        std::size_t rows;
    };

    /** What to write for a new picture in place of the last one.
     *
     *  @param staying   Lines that stay, whatever their length; they go above the picture.
     *  @param picture   Lines that the next picture replaces, each no wider than the terminal. What does not fit into
     *                   its height is left out at the top. */
    [[nodiscard]] std::string draw(const std::vector<std::string>& staying, std::vector<std::string> picture,
                                   extent size);

private:
    std::vector<std::string> drawn_;
};

}  // namespace weft_cli
