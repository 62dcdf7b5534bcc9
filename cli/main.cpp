#include "program.hpp"

int main(int argc, char** argv) { return weft_cli::run_program(argc, argv); }
