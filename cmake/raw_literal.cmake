# raw_literal(VARIABLE TEXT): TEXT as C++ raw string literals of type string_view, for the scripts that embed files.
# Where they stand: using namespace std::string_view_literals. A plain literal would be measured letter by letter in a
# constant expression, which compilers give up on.
#
# Compilers may limit one string literal to 16 KiB; adjacent literals join to one text. Each starts a line, since an R
# right behind a literal would be read as its suffix.
function(raw_literal variable text)
  set(piece_length 12000)
  string(LENGTH "${text}" length)
  set(literal "\"\"")  # an empty file is a text too
  set(from 0)
  while(from LESS length)
    string(SUBSTRING "${text}" ${from} ${piece_length} piece)
    string(APPEND literal "\nR\"~text~(${piece})~text~\"")
    math(EXPR from "${from} + ${piece_length}")
  endwhile()
  set(${variable} "${literal}sv" PARENT_SCOPE)
endfunction()
